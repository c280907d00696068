import { QuotaError } from './errors.ts';

declare const deadlineBrand: unique symbol;

/**
 * The absolute time at which a store may forget an entry, in ms since 1970 UTC.
 * Branded: a duration, a bare number or `undefined` cannot be passed where a deadline is due, so no write path of the
 * `Store` interface can leave an entry undated. Made by `deadlineAt` and `periodDeadline` only.
 */
export type Deadline = number & { readonly [deadlineBrand]: 'epoch ms' };

/** Shortest default margin between the end of a period and its deadline, in ms: clocks of callers differ. */
export const MIN_MARGIN_MS = 60_000;

/** Longest margin, in ms (1 day): dead counters of long periods must not pile up. */
export const MAX_MARGIN_MS = 86_400_000;

/** Share of the period that the default margin takes. */
const MARGIN_SHARE = 0.1;

/** Latest deadline accepted, in ms since 1970: the year 9999. Further out is a unit mistake, not a wish. */
export const LATEST_DEADLINE_MS = 253_402_300_799_999;

function isDeadline(atMs: number, nowMs: number): atMs is Deadline {
  return Number.isSafeInteger(atMs) && atMs > nowMs && atMs <= LATEST_DEADLINE_MS;
}

/**
 * A deadline at `atMs`, rounded up to a whole ms.
 * @param atMs absolute time in ms since 1970.
 * @param nowMs the current time in ms since 1970; a deadline that is not after it would be dead on arrival.
 * @throws {QuotaError} `invalid-deadline` when `atMs` is no finite number, not after `nowMs`, or past the year 9999.
 */
export function deadlineAt(atMs: number, nowMs: number): Deadline {
  const whole = Math.ceil(atMs);
  if (isDeadline(whole, nowMs)) return whole;
  throw new QuotaError(
    'invalid-deadline',
    `a deadline must be an absolute time after now (${nowMs}) and before the year 10000, got ${atMs}`,
  );
}

/**
 * The margin that a period gets when its quota names none: the larger of 60 s and 10 % of the period, at most 1 day.
 * @param periodMs length of the period in ms.
 */
export function defaultMarginMs(periodMs: number): number {
  return Math.min(MAX_MARGIN_MS, Math.max(MIN_MARGIN_MS, Math.ceil(periodMs * MARGIN_SHARE)));
}

/**
 * When the counter of a period may be forgotten: its end plus the margin. Absolute and the same for every writer, so a late
 * or repeated write cannot push it.
 * @param endMs end of the period, exclusive, in ms since 1970.
 * @param marginMs margin in ms.
 * @param nowMs current time in ms since 1970.
 * @throws {QuotaError} `invalid-deadline` when the deadline has passed already.
 */
export function periodDeadline(endMs: number, marginMs: number, nowMs: number): Deadline {
  return deadlineAt(endMs + marginMs, nowMs);
}
