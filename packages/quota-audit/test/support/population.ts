import { counterKey, periodAt, zoneNamed, type PeriodUnit } from '@weir/quota';

/** What a key of a population really is. */
export type Truth = 'healthy' | 'undated' | 'ended' | 'other';

/** One key. */
export interface Planted {
  readonly key: string;
  readonly value: string;
  /** How long it has to live, in ms; `undefined`: for ever. */
  readonly lifeMs: number | undefined;
  readonly truth: Truth;
}

/** How many keys of each kind. */
export interface Mix {
  readonly total: number;
  /** Undated counters of periods that run, or of limiters that name none. */
  readonly undated: number;
  /** Counters of ended periods: undated, or with a month to live. */
  readonly ended: number;
  /** Keys that are no counters. */
  readonly others: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UTC = zoneNamed('UTC');

/** Numbers in [0, 1) out of a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Names of a counter of a period that contains `atMs`, in the shapes of limiters that spell the period out. */
const WITH_PERIOD: readonly ((id: number, atMs: number) => string)[] = [
  (id, atMs) => `usage:tenant-${id}:${new Date(atMs).toISOString().slice(0, 10)}`,
  (id, atMs) => `@upstash/ratelimit:user_${id}:${Math.floor(atMs / HOUR_MS)}`,
  (id, atMs) => `rack::attack:${Math.floor(atMs / (5 * MINUTE_MS))}:req/ip:${address(id)}`,
  (id, atMs) => `ratelimit:r${id % 7}:s1:${address(id)}:${Math.floor(atMs / HOUR_MS) * HOUR_MS}:hour`,
  (id, atMs) => counterKey('api', `tenant-${id}`, periodAt({ unit: unitOf(id), count: 1 }, UTC, atMs).id),
];

/** Names without a period. */
const WITHOUT_PERIOD: readonly ((id: number) => string)[] = [
  (id) => `rlflx:${address(id)}`,
  (id) => `rl:${address(id)}`,
  (id) => `fastify-rate-limit-${address(id)}`,
  (id) => `LIMITS:LIMITER/${address(id)}/login/10/1/hour`,
  (id) => `throttle:login:user${id}`,
];

/** Keys that are no counters, whatever they look like; each with a value and whether it ever expires. */
const OTHERS: readonly ((id: number) => { key: string; value: string })[] = [
  (id) => ({ key: `sess:${(id * 2_654_435_761) >>> 0}`, value: '{"user":17,"at":1764511200}' }),
  (id) => ({ key: `user:${20_240_000 + id}`, value: String(id) }),
  (id) => ({ key: `order:${1_764_000_000 + id * 7}:status`, value: '3' }),
  (id) => ({ key: `event:2027-${String(1 + (id % 12)).padStart(2, '0')}-15:${id}:seats`, value: '40' }),
  (id) => ({ key: `cache:page:${id}`, value: '<html>' }),
  (id) => ({ key: `rack::attack:allow2ban:ban:${address(id)}`, value: '1' }),
];

function unitOf(id: number): PeriodUnit {
  return id % 2 === 0 ? 'day' : 'hour';
}

function address(id: number): string {
  return `10.${(id >>> 16) & 255}.${(id >>> 8) & 255}.${id & 255}`;
}

/** Makes keys of ten families and of others, the same for the same seed, none twice. */
export function* population(mix: Mix, nowMs: number, seed: number): Generator<Planted, void, undefined> {
  const random = randomFrom(seed);
  const count = (): string => String(1 + Math.floor(random() * 500));
  for (let id = 0; id < mix.total; id += 1) {
    if (id < mix.undated) {
      const key = id % 2 === 0 ? pick(WITHOUT_PERIOD, id)(id) : pick(WITH_PERIOD, id)(id, nowMs);
      yield { key, value: count(), lifeMs: undefined, truth: 'undated' };
    } else if (id < mix.undated + mix.ended) {
      // One to ninety days ago, evenly, so that the leak is as large on each day.
      const atMs = nowMs - (2 + (id % 89)) * DAY_MS;
      const lifeMs = id % 5 < 3 ? undefined : 30 * DAY_MS;
      yield { key: pick(WITH_PERIOD, Math.floor(id / 5))(id, atMs), value: count(), lifeMs, truth: 'ended' };
    } else if (id < mix.undated + mix.ended + mix.others) {
      const { key, value } = pick(OTHERS, id)(id);
      yield { key, value, lifeMs: random() < 0.5 ? undefined : DAY_MS, truth: 'other' };
    } else {
      const key = id % 3 > 0 ? pick(WITHOUT_PERIOD, id)(id) : pick(WITH_PERIOD, id)(id, nowMs);
      yield { key, value: count(), lifeMs: HOUR_MS + Math.floor(random() * 23 * HOUR_MS), truth: 'healthy' };
    }
  }
}

function pick<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('an empty list');
  return item;
}
