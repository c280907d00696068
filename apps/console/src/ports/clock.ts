/** A timer that was set; `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as the console sees it. Two readings, because they fail differently: the wall clock can be set back or jump an
 * hour, which would end every lease at once; the steady clock cannot, but means nothing after a restart.
 */
export interface Clock {
  /** Wall clock, in ms since 1970: what is written down and shown. */
  nowMs(): number;
  /** Clock that never jumps, in ms: wall time when the process began plus the time that passed since. For durations. */
  steadyMs(): number;
  /** Runs `run` once after `delayMs` (0 to 2^31 − 1 ms). Does not keep the process alive. */
  after(delayMs: number, run: () => void): Timer;
}
