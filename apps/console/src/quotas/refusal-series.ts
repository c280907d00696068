import type { RefusalSeries } from '@weir/protocol';
import type { QuotaMinute } from '../ports/quota-catalog.ts';

/** One point of the picture stands for this time. */
export const POINT_MS = 300_000;
/** A day. */
export const POINTS = 288;

/**
 * Puts minutes into points of five minutes, a day long; pure. Counts are added up, subjects at their limit are the most that were
 * seen. A point without a minute is null: the console did not run.
 */
export function refusalSeries(minutes: readonly QuotaMinute[], nowMs: number): RefusalSeries {
  const last = Math.floor(nowMs / POINT_MS);
  const first = last - POINTS + 1;
  const series = {
    atMs: Array.from({ length: POINTS }, (_, point) => (first + point) * POINT_MS),
    admitted: blank(),
    refused: blank(),
    subjectsAtLimit: blank(),
  };
  for (const { atMs, admitted, refused, subjectsAtLimit } of minutes) {
    const point = Math.floor(atMs / POINT_MS) - first;
    if (point < 0 || point >= POINTS) continue;
    series.admitted[point] = (series.admitted[point] ?? 0) + admitted;
    series.refused[point] = (series.refused[point] ?? 0) + refused;
    const most = Math.max(series.subjectsAtLimit[point] ?? 0, subjectsAtLimit ?? 0);
    if (subjectsAtLimit !== null) series.subjectsAtLimit[point] = most;
  }
  return series;
}

function blank(): (number | null)[] {
  return Array.from({ length: POINTS }, () => null);
}
