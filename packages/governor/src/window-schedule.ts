/**
 * When heartbeats are due and how much time a grant pays for (D2).
 *
 * On time (at most 1 s, or 5 % of the window, early): a whole window, and the next is due a whole window after this one
 * *was* due, so that many small earlinesses do not add up to an extra window. Early: only the time since the last
 * grant, and a whole window until the next. Late: one window, not two.
 *
 * Invariant: all time paid for ≤ time since the first grant + one window, whatever the heartbeats do.
 */
export interface WindowSchedule {
  /** When the next heartbeat is due, in ms; the window counts as begun one window length before. */
  readonly dueAtMs: number;
  /** Time that the grant pays for, in ms; at least 1, so that a window never has length 0. */
  readonly creditMs: number;
}

const TOLERANCE_MS = 1_000;
const TOLERANCE_PART = 0.05;
/** Shortest time that a grant pays for, so that rates over it are numbers. */
export const SHORTEST_CREDIT_MS = 1;

/** Whether a heartbeat at `now` comes before its time. */
export function isEarly(last: WindowSchedule, now: number, windowMs: number): boolean {
  return now < last.dueAtMs - Math.min(TOLERANCE_MS, TOLERANCE_PART * windowMs);
}

/** The window that follows `last` with a heartbeat at `now`. */
export function nextWindow(last: WindowSchedule, now: number, windowMs: number): WindowSchedule {
  if (!isEarly(last, now, windowMs)) {
    return { dueAtMs: Math.max(now, last.dueAtMs) + windowMs, creditMs: windowMs };
  }
  const sinceLastMs = now - (last.dueAtMs - windowMs);
  return {
    dueAtMs: Math.max(last.dueAtMs, now + windowMs),
    creditMs: Math.min(windowMs, Math.max(SHORTEST_CREDIT_MS, sinceLastMs)),
  };
}

/**
 * The first window after a pause. While the window before the pause would still last, only the time since its grant
 * is paid for: going idle and back, or crashing and starting again, must not earn a second window.
 */
export function firstWindow(last: WindowSchedule | null, now: number, windowMs: number): WindowSchedule {
  if (last !== null && now < last.dueAtMs) return nextWindow(last, now, windowMs);
  return { dueAtMs: now + windowMs, creditMs: windowMs };
}
