/** What an audit found to pile up, and what becomes of it. */
export interface Growth {
  /** Complete days that the rate was taken from; 0: no dead counter tells. */
  readonly days: number;
  readonly keysPerDay: number;
  readonly bytesPerDay: number;
  /** Dead counters per day of the end of their period, oldest first, the last one yesterday; at most 30. */
  readonly series: readonly number[];
}

/** What will be wasted in so many days if nothing changes. */
export interface Projection {
  readonly days: number;
  readonly keys: number;
  readonly bytes: number;
}

/** Days that the rate is taken from: the longest usual period, so that monthly counters weigh as they should. */
export const GROWTH_DAYS = 30;

/** Days that are projected. */
export const PROJECTED_DAYS = [30, 90, 365] as const;

/**
 * Growth out of the days on which the periods of undated dead counters ended. The rate is the mean of the complete days since
 * the first dead counter, of the last 30 at most: a leak that was repaired two months ago does not grow.
 * @param endedPerDay number of counters by day (UTC, number since 1970). The present day is left out: it is not over.
 * @param bytesEach mean bytes of such a counter.
 * @param today number of the present day.
 */
export function growthOf(endedPerDay: ReadonlyMap<number, number>, bytesEach: number, today: number): Growth {
  const past = [...endedPerDay.keys()].filter((day) => day < today);
  if (past.length === 0) return { days: 0, keysPerDay: 0, bytesPerDay: 0, series: [] };
  const first = past.reduce((least, day) => Math.min(least, day), today);
  const days = Math.min(GROWTH_DAYS, today - first);
  const series = Array.from({ length: days }, (_, index) => endedPerDay.get(today - days + index) ?? 0);
  const keysPerDay = series.reduce((sum, count) => sum + count, 0) / days;
  return { days, keysPerDay, bytesPerDay: keysPerDay * bytesEach, series };
}

/** The straight line from what is wasted now. */
export function project(waste: { keys: number; bytes: number }, growth: Growth): Projection[] {
  return PROJECTED_DAYS.map((days) => ({
    days,
    keys: Math.round(waste.keys + growth.keysPerDay * days),
    bytes: Math.round(waste.bytes + growth.bytesPerDay * days),
  }));
}
