import { QuotaError } from './errors.ts';

/** A time zone: how far its wall clocks are ahead of UTC at any instant. */
export interface Zone {
  /** IANA name as the quota gave it. */
  readonly name: string;
  /** The zone is UTC, always. */
  readonly utc: boolean;
  /** Wall clock minus UTC at an instant, in ms. */
  offsetAt(atMs: number): number;
}

const UTC_NAMES = new Set(['UTC', 'Etc/UTC', 'Etc/GMT', 'GMT', 'Etc/Zulu', 'Zulu', 'Etc/UCT', 'UCT']);

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Wider than any change of a zone's offset that ever was (24 h in Samoa, 2011), so samples straddle it. */
const STRADDLE_MS = 48 * HOUR_MS;

/**
 * The zone of this name, from the host's own time-zone data (`Intl`).
 * @param name IANA name, `America/New_York`.
 * @throws {QuotaError} `invalid-argument` when the host does not know the name.
 */
export function zoneNamed(name: string): Zone {
  if (UTC_NAMES.has(name)) return { name, utc: true, offsetAt: () => 0 };
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    throw new QuotaError('invalid-argument', `unknown time zone ${JSON.stringify(name)}`, { cause: error });
  }
  return { name, utc: false, offsetAt: (atMs) => wallClock(format, atMs) - Math.floor(atMs / SECOND_MS) * SECOND_MS };
}

/** What the zone's wall clock shows, to the second, read as if it were UTC. */
function wallClock(format: Intl.DateTimeFormat, atMs: number): number {
  const shown = new Map<string, number>();
  for (const { type, value } of format.formatToParts(atMs)) shown.set(type, Number(value));
  const part = (type: string): number => shown.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/**
 * The instant in (`loMs`, `hiMs`] at which the zone's offset changes; the offsets at both ends must differ. Offsets change on
 * whole seconds. With several changes in between, one of them.
 */
export function transitionBetween(zone: Zone, loMs: number, hiMs: number): number {
  const before = zone.offsetAt(loMs);
  let lo = Math.floor(loMs / SECOND_MS);
  let hi = Math.ceil(hiMs / SECOND_MS);
  while (hi - lo > 1) {
    const middle = Math.floor((lo + hi) / 2);
    if (zone.offsetAt(middle * SECOND_MS) === before) lo = middle;
    else hi = middle;
  }
  return hi * SECOND_MS;
}

/**
 * The first instant at which the zone's wall clock has reached `wallMs`: where clocks skip over it, the instant of the skip;
 * where they show it twice, the first time.
 * @param wallMs a wall-clock reading, as if it were UTC.
 */
export function firstInstantAt(zone: Zone, wallMs: number): number {
  const before = zone.offsetAt(wallMs - STRADDLE_MS);
  const after = zone.offsetAt(wallMs + STRADDLE_MS);
  const early = wallMs - before;
  if (before === after || zone.offsetAt(early) === before) return early;
  const late = wallMs - after;
  if (zone.offsetAt(late) === after) return late;
  return transitionBetween(zone, wallMs - STRADDLE_MS, wallMs + STRADDLE_MS);
}
