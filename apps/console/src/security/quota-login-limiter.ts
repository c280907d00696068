import { MemoryStore, openQuotas, type Quotas } from '@weir/quota';
import type { Clock } from '../ports/clock.ts';
import type { LoginLimiter } from '../ports/login-limiter.ts';

/** Attempts per minute of one address as one user: enough for a slip, far too few for guessing. */
const ATTEMPTS_AS_ONE_USER = 5;
/** Attempts per minute of one address, whatever the user: the bound for trying one password on many names. */
const ATTEMPTS_OF_AN_ADDRESS = 30;
/** Counters held at most; beyond it the ones that end first go, so that a flood of names cannot fill memory. */
const MAX_COUNTERS = 20_000;

/**
 * Counts attempts to log in with Weir's own quotas: in memory, per minute, per address and per address and user.
 * A login that succeeds forgets the attempts of its pair, not those of its address.
 */
export function quotaLoginLimiter(clock: Clock): LoginLimiter {
  const quotas = openLoginQuotas(clock);
  const pair = quotas.define({ id: 'login-user', period: 'minute', limit: ATTEMPTS_AS_ONE_USER });
  const address = quotas.define({
    id: 'login-address',
    period: 'minute',
    limit: ATTEMPTS_OF_AN_ADDRESS,
    subjects: 'address',
  });
  return {
    attempt: async (from, username) => {
      const { allowed, decisions } = await quotas.takeAll([
        { quota: pair, subject: pairOf(from, username) },
        { quota: address, subject: from },
      ]);
      if (allowed) return null;
      return Math.max(1, ...decisions.filter((each) => !each.allowed).map((each) => each.retryAfterMs));
    },
    succeeded: (from, username) => pair.reset(pairOf(from, username)),
    close: () => quotas.close(),
  };
}

function openLoginQuotas(clock: Clock): Quotas {
  // The steady clock: setting the machine's clock back must not lengthen a refusal, nor a jump end it.
  const shared = {
    clock: () => clock.steadyMs(),
    timers: { set: (run: () => void, ms: number) => clock.after(ms, run) },
  };
  const store = new MemoryStore({ maxEntries: MAX_COUNTERS, whenFull: 'evict', ...shared });
  return openQuotas({ store, healthEveryMs: 0, ...shared });
}

function pairOf(address: string, username: string): string {
  return JSON.stringify([address, username]);
}
