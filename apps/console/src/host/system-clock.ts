import type { Clock } from '../ports/clock.ts';

/** The clocks of this machine. */
export function systemClock(): Clock {
  const origin = Date.now() - performance.now();
  return {
    nowMs: () => Date.now(),
    steadyMs: () => origin + performance.now(),
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
  };
}
