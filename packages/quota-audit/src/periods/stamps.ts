import { periodAt, type Zone } from '@weir/quota';

/*
 * Stamps: what a key's name says about the period it counts.
 *
 *   2026-11-30T14:05  2026-11-30T14  2026-11-30  2026-W49  2026-11          strong: nothing else is written like this
 *   20261130  2026113014  202611301405  1764511200  1764511200000            weak: may be a number that only looks like one
 *
 * A stamp that can be read in two ways gets the later end: `2026-11-30:14` may be an hour or a day and a subject, so it is
 * the day; 1764547200 may be the start of a minute, an hour or a day, so it is the longest that begins there. A counter found a
 * little late costs memory for a day; one that is called dead while it counts costs a limit.
 */

/** `window`: a start that is aligned to nothing, so its length is not known. */
export type StampUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'window';

/** A period that a name spells out. */
export interface Stamp {
  /** Where in the text it stands, and how many characters it has. */
  readonly index: number;
  readonly length: number;
  readonly unit: StampUnit;
  readonly startMs: number;
  /** End, exclusive; the latest that the text can mean. */
  readonly endMs: number;
  /** Written with separators, so it is no mere number. */
  readonly strong: boolean;
  /** Read from a wall clock whose zone nobody told: the real time may be half a day off either way. */
  readonly civil: boolean;
  /** It lies between ten years ago and one day ahead: somebody may have counted in it. */
  readonly plausible: boolean;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const OLDEST_MS = 3_660 * DAY_MS;

/** Wall clocks are at most 14 h ahead of UTC, and clocks differ. */
const AHEAD_MS = 15 * HOUR_MS;

/** How long a window whose length is not known is taken to be. */
const UNKNOWN_WINDOW_MS = DAY_MS;

/** Longest key that is searched, in characters: stamps do not hide in kilobytes. */
const MAX_TEXT = 1_024;

const STAMP = new RegExp(
  [
    // A date, perhaps with a time behind T or a space, perhaps with its offset.
    String.raw`(?<![0-9A-Za-z])(\d{4})([-/._:])(\d\d)\2(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:?\d\d)?)?(?![0-9A-Za-z])`,
    // A week.
    String.raw`(?<![0-9A-Za-z])(\d{4})-?[Ww](\d\d)(?![0-9A-Za-z])`,
    // A month.
    String.raw`(?<![0-9A-Za-z-])(\d{4})-(\d\d)(?![0-9A-Za-z-])`,
    // A run of digits with a T in it.
    String.raw`(?<![0-9A-Za-z])(\d{8})T(\d{2}|\d{4}|\d{6})(Z?)(?![0-9A-Za-z])`,
    // A run of digits.
    String.raw`(?<![0-9A-Za-z.])(\d{8}|\d{10}|\d{12,14})(?![0-9A-Za-z])`,
  ].join('|'),
  'g',
);

/** How to read stamps. */
export interface StampReading {
  readonly nowMs: number;
  /** The zone of wall-clock stamps; absent: read as UTC and marked `civil`. */
  readonly zone?: Zone;
}

/** All stamps in a name, in order. */
export function findStamps(text: string, reading: StampReading): Stamp[] {
  const stamps: Stamp[] = [];
  if (text.length > MAX_TEXT) return stamps;
  for (const found of text.matchAll(STAMP)) {
    const stamp = readFound(found, reading);
    if (stamp !== undefined) stamps.push(stamp);
  }
  return stamps;
}

/** The stamp that tells when the counter's period ends: the strong one, if there is one, and of several the latest. */
export function tellingStamp(stamps: readonly Stamp[]): Stamp | undefined {
  let best: Stamp | undefined;
  for (const stamp of stamps) {
    if (best === undefined || rank(stamp) > rank(best) || (rank(stamp) === rank(best) && stamp.endMs > best.endMs)) {
      best = stamp;
    }
  }
  return best;
}

function rank({ strong, plausible }: Stamp): number {
  return (plausible ? 2 : 0) + (strong ? 1 : 0);
}

function readFound(found: RegExpMatchArray, reading: StampReading): Stamp | undefined {
  const [text, year, , month, day, hour, minute, second, offset, weekYear, week, monthYear, onlyMonth] = found;
  const [digitDate, digitTime, zulu, digits] = found.slice(13);
  const place = { index: found.index ?? 0, length: text.length };
  if (year !== undefined) {
    const wall = { year, month, day, hour, minute, second };
    return civil(place, wall, offset, true, reading);
  }
  if (weekYear !== undefined) return weekStamp(place, Number(weekYear), Number(week), reading);
  if (monthYear !== undefined) return civil(place, { year: monthYear, month: onlyMonth }, undefined, true, reading);
  if (digitDate !== undefined) return civil(place, wallOf(digitDate + (digitTime ?? '')), zulu, true, reading);
  return digits === undefined ? undefined : digitStamp(place, digits, reading);
}

interface Wall {
  readonly year?: string | undefined;
  readonly month?: string | undefined;
  readonly day?: string | undefined;
  readonly hour?: string | undefined;
  readonly minute?: string | undefined;
  readonly second?: string | undefined;
}

interface Place {
  readonly index: number;
  readonly length: number;
}

/** Digits of a date and a time without separators. */
function wallOf(digits: string): Wall {
  const part = (from: number, to: number): string | undefined =>
    digits.length >= to ? digits.slice(from, to) : undefined;
  return {
    year: part(0, 4),
    month: part(4, 6),
    day: part(6, 8),
    hour: part(8, 10),
    minute: part(10, 12),
    second: part(12, 14),
  };
}

const UNITS = ['month', 'day', 'hour', 'minute', 'second'] as const;

function civil(
  place: Place,
  { year, month, day, hour, minute, second }: Wall,
  offset: string | undefined,
  strong: boolean,
  reading: StampReading,
): Stamp | undefined {
  const parts = [day, hour, minute, second];
  const named = parts.findIndex((part) => part === undefined);
  const unit = UNITS[named === -1 ? 4 : named] ?? 'day';
  const fields = [year, month, ...parts].map((part) => (part === undefined ? undefined : Number(part)));
  const [y = 0, mo = 1, d = 1, h = 0, mi = 0, s = 0] = fields;
  const wallMs = Date.UTC(y, mo - 1, d, h, mi, s);
  const back = new Date(wallMs);
  // The 31st of February, the 25th hour, year 27 of our era.
  if (y < 1970 || back.getUTCMonth() !== mo - 1 || back.getUTCDate() !== d || back.getUTCHours() !== h)
    return undefined;
  if (mi > 59 || s > 59) return undefined;
  const endMs = unit === 'month' ? Date.UTC(y, mo, 1) : wallMs + LENGTH_MS[unit];
  return placed(place, { unit, wallMs, endMs, strong, offset: offsetMs(offset) }, reading);
}

const LENGTH_MS = { day: DAY_MS, hour: HOUR_MS, minute: MINUTE_MS, second: SECOND_MS } as const;

/** `Z`, `+02:00`; `undefined` when the text names none. */
function offsetMs(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'Z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  return (text.startsWith('-') ? -minutes : minutes) * MINUTE_MS;
}

function weekStamp(place: Place, year: number, week: number, reading: StampReading): Stamp | undefined {
  const fourth = Date.UTC(year, 0, 4);
  const firstMonday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  const wallMs = firstMonday + (week - 1) * 7 * DAY_MS;
  // The week must hold a Thursday of its year.
  if (year < 1970 || week < 1 || new Date(wallMs + 3 * DAY_MS).getUTCFullYear() !== year) return undefined;
  return placed(place, { unit: 'week', wallMs, endMs: wallMs + 7 * DAY_MS, strong: true, offset: undefined }, reading);
}

interface WallPeriod {
  readonly unit: Exclude<StampUnit, 'window'>;
  readonly wallMs: number;
  readonly endMs: number;
  readonly strong: boolean;
  readonly offset: number | undefined;
}

function placed(place: Place, { unit, wallMs, endMs, strong, offset }: WallPeriod, reading: StampReading): Stamp {
  const { nowMs, zone } = reading;
  let period = { startMs: wallMs - (offset ?? 0), endMs: endMs - (offset ?? 0) };
  if (offset === undefined && zone !== undefined && !zone.utc) {
    // The middle of the period lies in it whatever the clocks did at its ends.
    const middleMs = (wallMs + endMs) / 2;
    const { startMs, endMs: realEndMs } = periodAt({ unit, count: 1 }, zone, middleMs - zone.offsetAt(middleMs));
    period = { startMs, endMs: realEndMs };
  }
  const unknownZone = offset === undefined && zone === undefined;
  return { ...place, unit, ...period, strong, civil: unknownZone, plausible: isPlausible(period.startMs, nowMs) };
}

/** A run of digits that is no time is told as an implausible one: it speaks against its neighbours being times. */
function digitStamp(place: Place, digits: string, reading: StampReading): Stamp {
  const none = { ...place, ...NO_TIME };
  if (digits.length === 13) return epochStamp(place, Number(digits), reading.nowMs);
  if (digits.length === 10) {
    const stamp = epochStamp(place, Number(digits) * SECOND_MS, reading.nowMs);
    if (stamp.plausible) return stamp;
    return civil(place, wallOf(digits), undefined, false, reading) ?? none;
  }
  return civil(place, wallOf(digits), undefined, false, reading) ?? none;
}

const NO_TIME = { unit: 'window', startMs: 0, endMs: 1, strong: false, civil: false, plausible: false } as const;

/** The longest period that begins at this instant. */
function epochStamp(place: Place, startMs: number, nowMs: number): Stamp {
  const unit = longestUnitAt(startMs);
  return {
    ...place,
    unit,
    startMs,
    endMs: endOf(unit, startMs),
    strong: false,
    civil: false,
    plausible: isPlausible(startMs, nowMs),
  };
}

/** The longest unit of the calendar in UTC that begins at this instant. */
export function longestUnitAt(startMs: number): StampUnit {
  if (startMs % MINUTE_MS !== 0) return 'window';
  if (startMs % HOUR_MS !== 0) return 'minute';
  if (startMs % DAY_MS !== 0) return 'hour';
  const date = new Date(startMs);
  if (date.getUTCDate() === 1) return 'month';
  // Weeks begin on Monday, or on Thursday when epoch seconds are divided.
  return date.getUTCDay() === 1 || startMs % (7 * DAY_MS) === 0 ? 'week' : 'day';
}

/** End of the period of this unit that begins at an instant, in UTC. */
export function endOf(unit: StampUnit, startMs: number): number {
  if (unit === 'window') return startMs + UNKNOWN_WINDOW_MS;
  if (unit === 'week') return startMs + 7 * DAY_MS;
  if (unit !== 'month') return startMs + LENGTH_MS[unit];
  const date = new Date(startMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Whether a counter that exists now may be of a period that began then. */
export function isPlausible(startMs: number, nowMs: number): boolean {
  return startMs > nowMs - OLDEST_MS && startMs <= nowMs + AHEAD_MS;
}
