/** Time, timers and randomness of an agent: real ones in a process, simulated ones in tests. */
export interface Timing {
  /** Monotonic clock, in ms. */
  now: () => number;
  /** Runs something later and returns how to cancel it. */
  startTimer: (run: () => void, delayMs: number) => () => void;
  /** Uniform in [0, 1). */
  random: () => number;
}

export const realTiming: Timing = {
  now: () => performance.now(),
  startTimer: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Waits; ends early, without an error, when the signal fires. */
export function pause(timing: Timing, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = timing.startTimer(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}
