/** Units of the calendar. Weeks begin on Monday. */
export type PeriodUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';

/** `count` units of the calendar in a zone: `{ unit: 'minute', count: 15 }` begins at :00, :15, :30, :45. */
export interface PeriodLength {
  readonly unit: PeriodUnit;
  /** Whole, at least 1. Seconds, minutes and hours together at most 7 days. */
  readonly count: number;
}

/** Nominal length of each unit in ms: days of 24 hours, the shortest month. */
const NOMINAL_MS: Readonly<Record<PeriodUnit, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 28 * 86_400_000,
};

/** Length of the units that a clock shows, in ms; the others follow the calendar. */
export const CLOCK_UNIT_MS: Readonly<Partial<Record<PeriodUnit, number>>> = {
  second: NOMINAL_MS.second,
  minute: NOMINAL_MS.minute,
  hour: NOMINAL_MS.hour,
};

/** Longest period in seconds, minutes or hours, in ms (7 days); longer ones are days. */
export const MAX_CLOCK_PERIOD_MS: number = NOMINAL_MS.week;

/** About how long a period is, in ms: changes of the clocks ignored, the shortest month. Margins are made from it. */
export function nominalLengthMs({ unit, count }: PeriodLength): number {
  return NOMINAL_MS[unit] * count;
}

/** A period with the wall-clock reading at which it nominally starts. */
export interface Block {
  readonly nominalMs: number;
  readonly startMs: number;
  readonly endMs: number;
}
