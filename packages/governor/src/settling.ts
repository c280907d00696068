/**
 * Windows that end early because what the agent wants has changed (policy `max-min`, overshoot guard): what is left of the
 * window is granted anew, at the new rate, less what was charged ahead of the old one. All credits of a window are then at
 * most what each rate allows in its part of it, and the next heartbeat is due when it was. Without it (D2) an early
 * heartbeat is paid for the time that has passed, which is right for a repetition and useless for a change.
 */
import type { RosterAgent } from './roster.ts';
import { isEarly, nextWindow, SHORTEST_CREDIT_MS, type WindowSchedule } from './window-schedule.ts';

/** An agent that wants more is asked again after this part of a window … */
const SOON_PART = 1 / 6;
/** … as long as its share changes by more than this part of what it ran with. */
const MOVING_PART = 0.1;

/** A window as it was run. */
export interface RunWindow {
  readonly schedule: WindowSchedule;
  readonly allocatedTps: number;
  readonly creditBudget: number;
  /** Credits charged ahead of its rate before it began. */
  readonly aheadCredits: number;
}

function settledEarly(
  run: RunWindow,
  now: number,
  chargedOps: number,
): { schedule: WindowSchedule; aheadCredits: number } {
  const { dueAtMs, creditMs } = run.schedule;
  // A window that began a little before its time is no longer for it.
  const restMs = Math.max(SHORTEST_CREDIT_MS, Math.min(creditMs, dueAtMs - now));
  const passedMs = Math.min(creditMs, Math.max(0, creditMs - restMs));
  const charged = Math.min(Math.max(0, chargedOps), run.creditBudget);
  return { schedule: { dueAtMs, creditMs: restMs }, aheadCredits: aheadOf(run, passedMs, charged) };
}

/** What was charged ahead of its rate when a window has run for so long. */
function aheadOf(run: RunWindow, passedMs: number, chargedOps: number): number {
  return Math.max(0, run.aheadCredits + chargedOps - (run.allocatedTps * passedMs) / 1_000);
}

/**
 * Settles a window at a heartbeat.
 * @param chargedOps as reported; more than the window held is not believed.
 * @returns the time that the next grant pays for, and the credits of it that are spent already.
 */
export function settle(
  run: RunWindow,
  now: number,
  windowMs: number,
  chargedOps: number,
): { schedule: WindowSchedule; aheadCredits: number } {
  if (isEarly(run.schedule, now, windowMs)) return settledEarly(run, now, chargedOps);
  const charged = Math.min(Math.max(0, chargedOps), run.creditBudget);
  return {
    schedule: nextWindow(run.schedule, now, windowMs),
    // Only windows that were settled leave a rest: a whole one holds no more than its rate allows.
    aheadCredits: run.aheadCredits === 0 ? 0 : aheadOf(run, run.schedule.creditMs, charged),
  };
}

/** When the next heartbeat is wanted: with the end of the window, or sooner while the agent wants more and shares move. */
export function beatWantedInMs(
  { limited, actualTps }: RosterAgent['claim'],
  ranWithTps: number,
  shareTps: number,
  dueInMs: number,
  windowMs: number,
): number {
  const moves = Math.abs(shareTps - ranWithTps) > MOVING_PART * ranWithTps;
  const wantsMore = limited === true || actualTps === null || actualTps > shareTps;
  return moves && wantsMore ? Math.min(dueInMs, windowMs * SOON_PART) : dueInMs;
}
