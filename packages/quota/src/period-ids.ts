import type { Block, PeriodLength, PeriodUnit } from './period-lengths.ts';

/*
 * How a period is spelled in a key:
 *
 *   2026-11  2026-W49  2026-11-30  2026-11-30T14  2026-11-30T14:05  2026-11-30T14:05:09     month … second, in UTC
 *   2026-11-30T14:15x15                                                                      15 minutes
 *   2026-11-30@-05:00                                                                        a day of another zone
 *
 * The part after @ is the nominal start minus the real one. It tells the two hours apart that a clock shows twice, and lets a
 * reader that does not know the zone compute the real start.
 */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** The id of a period; see the top of this file. */
export function formatPeriodId({ unit, count }: PeriodLength, utc: boolean, block: Block): string {
  const name =
    unit === 'week' ? weekName(block.nominalMs) : new Date(block.nominalMs).toISOString().slice(0, NAMES[unit]);
  const times = count === 1 ? '' : `x${count}`;
  return utc ? name + times : `${name}${times}@${formatOffset(block.nominalMs - block.startMs)}`;
}

/** Characters of an ISO date that name the unit. */
const NAMES: Readonly<Record<Exclude<PeriodUnit, 'week'>, number>> = {
  month: 7,
  day: 10,
  hour: 13,
  minute: 16,
  second: 19,
};

/** ISO 8601 week: the year is the one that holds the week's Thursday. */
function weekName(mondayMs: number): string {
  const year = new Date(mondayMs + 3 * DAY_MS).getUTCFullYear();
  const week = Math.floor((mondayMs + 3 * DAY_MS - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1;
  return `${year}-W${two(week)}`;
}

function formatOffset(offsetMs: number): string {
  const size = Math.abs(offsetMs);
  const seconds = Math.floor((size % MINUTE_MS) / SECOND_MS);
  const text = `${two(Math.floor(size / HOUR_MS))}:${two(Math.floor((size % HOUR_MS) / MINUTE_MS))}`;
  return (offsetMs < 0 ? '-' : '+') + text + (seconds === 0 ? '' : `:${two(seconds)}`);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** What a period id says. */
export interface PeriodName extends PeriodLength {
  /** Written in a zone other than UTC. */
  readonly zoned: boolean;
  /** When the period began, in ms since 1970. */
  readonly startMs: number;
  /** When it ends; in a zone other than UTC the clocks may change before, so up to 25 h off either way (Samoa, 2011). */
  readonly endMs: number;
}

const ID =
  /^(\d{4})-(?:W(\d\d)|(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?)?)?)(?:x([1-9]\d*))?(?:@([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Reads a period id; `undefined` when it is none, or names a time that does not exist. */
export function parsePeriodId(id: string): PeriodName | undefined {
  const found = ID.exec(id);
  if (found === null) return undefined;
  const part = (index: number): number | undefined => (found[index] === undefined ? undefined : Number(found[index]));
  const year = part(1) ?? 0;
  const week = part(2);
  const count = part(8) ?? 1;
  const unit = unitOf(found);
  const nominalMs =
    week === undefined
      ? Date.UTC(year, (part(3) ?? 1) - 1, part(4) ?? 1, part(5) ?? 0, part(6) ?? 0, part(7) ?? 0)
      : firstMonday(year) + (week - 1) * 7 * DAY_MS;
  const sign = found[9] === '-' ? -1 : 1;
  const offsetMs = sign * ((part(10) ?? 0) * HOUR_MS + (part(11) ?? 0) * MINUTE_MS + (part(12) ?? 0) * SECOND_MS);
  const zoned = found[9] !== undefined;
  const startMs = nominalMs - offsetMs;
  // Writing it again catches the 31st of February and the 54th week.
  if (formatPeriodId({ unit, count }, !zoned, { nominalMs, startMs, endMs: 0 }) !== id) return undefined;
  return { unit, count, zoned, startMs, endMs: nominalEnd(unit, count, nominalMs) - offsetMs };
}

function unitOf(found: RegExpExecArray): PeriodUnit {
  if (found[2] !== undefined) return 'week';
  if (found[7] !== undefined) return 'second';
  if (found[6] !== undefined) return 'minute';
  if (found[5] !== undefined) return 'hour';
  return found[4] === undefined ? 'month' : 'day';
}

function firstMonday(year: number): number {
  const fourth = Date.UTC(year, 0, 4);
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
}

function nominalEnd(unit: PeriodUnit, count: number, nominalMs: number): number {
  if (unit === 'month') {
    const date = new Date(nominalMs);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
  }
  const unitMs = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }[unit];
  return nominalMs + count * unitMs;
}
