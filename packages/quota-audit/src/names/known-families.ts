import { parseKey, parsePeriodId } from '@weir/quota';
import { divisionOf } from '../periods/divisions.ts';
import { endOf, findStamps, isPlausible, tellingStamp, type StampReading } from '../periods/stamps.ts';
import type { CounterName, NamedPeriod, Reading } from './counter-name.ts';

/*
 * The key shapes of limiters that we know, from their sources. Each reader gets the whole key and answers `undefined` when the key
 * is not of its family. Distinctive names are found behind a prefix of the application too (`myapp:rlflx:…`).
 *
 *   wq1:<quota>:{<subject>}:<period>                             Weir
 *   rlflx:<key>                                                  rate-limiter-flexible
 *   fastify-rate-limit-<route><key>                              @fastify/rate-limit
 *   LIMITS:LIMITER/<ids>/<amount>/<n>/<unit>                     Python limits, flask-limiter, slowapi (memcached: LIMITER/…)
 *   @upstash/ratelimit:<id>:<epoch ms ÷ window>                  @upstash/ratelimit
 *   rack::attack:<epoch s ÷ period>:<name>:<id>                  Rack::Attack
 *   namespace:{<ns>},counter:<json>                              Limitador
 *   ratelimit:<route>:<service>:<id>:<start ms>:<unit>           Kong
 *   request_rate_limiter.{<id>}.tokens                           Spring Cloud Gateway
 *   rl:<key>                                                     rate-limit-redis (express-rate-limit), django-ratelimit
 *   throttle:<key>                                               several
 */

type Reader = (key: string, reading: StampReading) => Reading | undefined;

const COMPANION: Reading = { is: 'companion' };

/** The readers, in the order in which they are asked. */
const READERS: readonly Reader[] = [
  weir,
  prefixed('rlflx:', 'rate-limiter-flexible'),
  prefixed('fastify-rate-limit-', '@fastify/rate-limit'),
  pythonLimits,
  upstash,
  rackAttack,
  limitador,
  kong,
  springGateway,
  short(/^(?:[\w.-]*:\d+:)?rl:(.+)$/s, 'rl:'),
  short(/^(?:[\w.-]+:)?throttle:(.+)$/s, 'throttle:'),
];

/** Reads a key as that of a limiter that we know; `undefined` when it is of none. */
export function readKnownFamily(key: string, reading: StampReading): Reading | undefined {
  for (const reader of READERS) {
    const read = reader(key, reading);
    if (read !== undefined) return read;
  }
  return undefined;
}

function counter(name: Omit<CounterName, 'evidence' | 'distinctive' | 'worded'>, distinctive = true): Reading {
  return { is: 'counter', name: { ...name, evidence: 'known', distinctive, worded: true } };
}

function weir(key: string): Reading | undefined {
  if (!key.startsWith('wq1:')) return undefined;
  const parsed = parseKey(key);
  if (parsed === undefined) return undefined;
  if (parsed.kind !== 'counter') return COMPANION;
  const family = `Weir, quota ${parsed.quotaId}`;
  const subject = parsed.shortened ? `${parsed.subject}…` : parsed.subject;
  const period = parsePeriodId(parsed.rest);
  if (period === undefined) return counter({ family, subject });
  // The end of a period in another zone is a guess where its clocks change, so it is treated as a wall clock's.
  const { startMs, endMs, zoned } = period;
  return counter({ family, subject, period: { startMs, endMs, civil: zoned } });
}

/** Text behind a marker, at the start of the key or behind a separator. */
function behind(key: string, marker: string): string | undefined {
  const at = key.indexOf(marker);
  if (at === -1 || (at > 0 && !/[:/|._{-]/.test(key[at - 1] ?? ''))) return undefined;
  return key.slice(at + marker.length);
}

function prefixed(marker: string, label: string): Reader {
  const family = `${label} (${marker})`;
  return (key, reading) => {
    const subject = behind(key, marker);
    return subject === undefined || subject === '' ? undefined : withStamp(family, subject, reading, true);
  };
}

function short(shape: RegExp, family: string): Reader {
  return (key, reading) => {
    const subject = shape.exec(key)?.[1];
    return subject === undefined ? undefined : withStamp(family, subject, reading, false);
  };
}

/** Users put dates into the keys of their limiters; only stamps that cannot be anything else count here. */
function withStamp(family: string, subject: string, reading: StampReading, distinctive: boolean): Reading {
  const stamp = tellingStamp(findStamps(subject, reading).filter(({ strong, plausible }) => strong && plausible));
  if (stamp === undefined) return counter({ family, subject }, distinctive);
  const { startMs, endMs, civil } = stamp;
  const rest = subject.slice(0, stamp.index) + subject.slice(stamp.index + stamp.length);
  return counter({ family, subject: trimmed(rest), period: { startMs, endMs, civil } }, distinctive);
}

function trimmed(text: string): string {
  return text.replaceAll(/^[:/|_-]+|[:/|_-]+$/g, '');
}

const UNIT_MS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 30 * 86_400_000,
  year: 360 * 86_400_000,
};

const LIMITER = /(?:^|:)LIMITER\/(.+?)(\/expires)?$/s;
const LIMITER_TAIL = /^(.*)\/(\d+)\/(\d+)\/(second|minute|hour|day|month|year)(?:\/-1)?$/s;

function pythonLimits(key: string): Reading | undefined {
  const found = LIMITER.exec(key) ?? /^LIMITS:\{?(.+?)(\/expires)?$/s.exec(key);
  if (found === null) return undefined;
  const [, rest = '', expires] = found;
  // Beside each memcached counter its end of window, as a number of seconds.
  if (expires !== undefined) return COMPANION;
  const family = 'Python limits (LIMITER/)';
  const tail = LIMITER_TAIL.exec(rest);
  if (tail === null) return counter({ family, subject: rest });
  const [, subject = '', , multiples, unit = ''] = tail;
  return counter({ family, subject, windowMs: (UNIT_MS[unit] ?? 0) * Number(multiples) });
}

function upstash(key: string, { nowMs }: StampReading): Reading | undefined {
  const rest = behind(key, '@upstash/ratelimit:');
  if (rest === undefined) return undefined;
  const found = /^(.+):(\d{1,14})$/s.exec(rest);
  // Token buckets, analytics, deny lists.
  if (found === null || found[1] === 'events') return COMPANION;
  const [, subject = '', index] = found;
  return counter({ family: '@upstash/ratelimit', subject, ...dividedPeriod(Number(index), nowMs) });
}

function rackAttack(key: string, { nowMs }: StampReading): Reading | undefined {
  const rest = behind(key, 'rack::attack:');
  if (rest === undefined) return undefined;
  const found = /^(?:g\d+:)?(\d{1,10}):(.+)$/s.exec(rest);
  // Bans, generations.
  if (found === null) return COMPANION;
  const [, index, subject = ''] = found;
  return counter({ family: 'Rack::Attack (rack::attack)', subject, ...dividedPeriod(Number(index), nowMs) });
}

function dividedPeriod(index: number, nowMs: number): { period?: NamedPeriod } {
  const division = divisionOf(index, nowMs);
  return division === undefined ? {} : { period: { ...division, civil: false } };
}

function limitador(key: string): Reading | undefined {
  const found = /(?:^|:)namespace:\{(.*?)\},(.*)$/s.exec(key);
  if (found === null) return undefined;
  const [, namespace = '', rest = ''] = found;
  // Sets that list the counters of a limit.
  if (!rest.startsWith('counter:')) return COMPANION;
  const variables = /"set_variables":\{(.*?)\}/s.exec(rest)?.[1] ?? '';
  const seconds = Number(/"seconds":(\d{1,9})/.exec(rest)?.[1] ?? 0);
  const subject = variables === '' ? namespace : `${namespace} ${variables}`;
  const window = seconds > 0 ? { windowMs: seconds * 1_000 } : {};
  return counter({ family: 'Limitador (namespace:{…})', subject, ...window });
}

const KONG = /(?:^|:)ratelimit:([^:]+):([^:]+):(.+):(\d{10}|\d{13}):(second|minute|hour|day|month|year)$/s;

function kong(key: string, { nowMs }: StampReading): Reading | undefined {
  const found = KONG.exec(key);
  if (found === null) return undefined;
  const [, , , subject = '', start = '', unit = ''] = found;
  const startMs = Number(start) * (start.length === 10 ? 1_000 : 1);
  const family = 'Kong (ratelimit:)';
  if (!isPlausible(startMs, nowMs)) return counter({ family, subject });
  const endMs = unit === 'month' ? endOf('month', startMs) : startMs + (unit === 'year' ? 366 : 1) * lengthOf(unit);
  return counter({ family, subject, period: { startMs, endMs, civil: false } });
}

function lengthOf(unit: string): number {
  return unit === 'year' ? 86_400_000 : (UNIT_MS[unit] ?? 0);
}

function springGateway(key: string): Reading | undefined {
  const found = /^request_rate_limiter\.\{(.*)\}\.(tokens|timestamp)$/s.exec(key);
  if (found === null) return undefined;
  if (found[2] === 'timestamp') return COMPANION;
  return counter({ family: 'Spring Cloud Gateway (request_rate_limiter)', subject: found[1] ?? '' });
}
