import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/** Passwords that may wait for their check, which takes some 60 ms each. */
const MAX_WAITING = 50;

/**
 * Counts one attempt to prove a password.
 * @throws ConsoleError too-many-requests, unavailable
 */
export async function admitPasswordAttempt(context: ConsoleContext, address: string, username: string): Promise<void> {
  const waitMs = await context.loginLimiter.attempt(address, username);
  if (waitMs !== null) {
    const message = `Too many attempts to log in: try again in ${Math.ceil(waitMs / 1_000)} s.`;
    throw new ConsoleError('too-many-requests', message, { retryAfterMs: waitMs });
  }
  if (context.passwords.waiting >= MAX_WAITING) {
    const message = 'Very many people log in at this moment: try again.';
    throw new ConsoleError('unavailable', message, { retryAfterMs: 1_000 });
  }
}
