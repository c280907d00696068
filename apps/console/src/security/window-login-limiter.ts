import type { Clock } from '../ports/clock.ts';
import type { LoginLimiter } from '../ports/login-limiter.ts';

/** Attempts per window, per address and user: enough for a slip, far too few for guessing. */
const ATTEMPTS = 5;
const WINDOW_MS = 60_000;
/** Pairs remembered at most; beyond it the oldest are forgotten, so that a flood of names cannot fill memory. */
const MAX_PAIRS = 10_000;

function keyOf(address: string, username: string): string {
  return JSON.stringify([address, username]);
}

/** Counts attempts of each pair of address and user in windows that begin with its first attempt. In memory. */
export function windowLoginLimiter(clock: Clock): LoginLimiter {
  const windows = new Map<string, { endsAtMs: number; attempts: number }>();
  return {
    attempt(address, username) {
      const key = keyOf(address, username);
      const nowMs = clock.steadyMs();
      let window = windows.get(key);
      if (window === undefined || window.endsAtMs <= nowMs) {
        windows.delete(key);
        window = { endsAtMs: nowMs + WINDOW_MS, attempts: 0 };
        windows.set(key, window);
        for (const oldest of windows.keys()) {
          if (windows.size <= MAX_PAIRS) break;
          windows.delete(oldest);
        }
      }
      if (window.attempts >= ATTEMPTS) return Math.ceil(window.endsAtMs - nowMs);
      window.attempts += 1;
      return null;
    },
    succeeded(address, username) {
      windows.delete(keyOf(address, username));
    },
  };
}
