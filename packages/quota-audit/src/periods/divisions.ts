import { isPlausible } from './stamps.ts';

/*
 * Some limiters name a window by its number: epoch time divided by the window's length, which the name does not say. Number and
 * present time tell it all the same: of the lengths that people use only one puts the window between some years ago and now,
 * because neighbours in the list differ by a quarter or more and a quarter of the epoch is over a decade.
 */

const SECONDS = [1, 2, 3, 5, 10, 15, 20, 30, 45] as const;
const MINUTES = [1, 2, 3, 5, 10, 15, 20, 30, 45] as const;
const HOURS = [1, 2, 3, 4, 6, 8, 12] as const;
const DAYS = [1, 2, 3, 5, 7, 10, 14, 21, 30, 60, 90] as const;

/** Window lengths that people use, in ms, ascending. */
export const USUAL_WINDOWS_MS: readonly number[] = [
  100,
  200,
  250,
  500,
  ...SECONDS.map((n) => n * 1_000),
  ...MINUTES.map((n) => n * 60_000),
  ...HOURS.map((n) => n * 3_600_000),
  ...DAYS.map((n) => n * 86_400_000),
];

/** Counters of windows older than this are not recognised: a twentieth of the epoch, so that no two lengths fit. */
const OLDEST_MS = 1_000 * 86_400_000;

/** One window. */
export interface Division {
  readonly startMs: number;
  readonly endMs: number;
}

/** The window of this number; `undefined` when no usual length puts it near the present. */
export function divisionOf(index: number, nowMs: number): Division | undefined {
  for (const lengthMs of USUAL_WINDOWS_MS) {
    const startMs = index * lengthMs;
    if (startMs > nowMs - OLDEST_MS && isPlausible(startMs, nowMs)) return { startMs, endMs: startMs + lengthMs };
  }
  return undefined;
}
