import type { SessionView } from '@weir/protocol';
import { keyedDigestOf } from '../security/digests.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/** Logins that may wait for their password to be checked, which takes some 60 ms each. */
const MAX_WAITING = 50;

/**
 * Checks a password and begins a session. An unknown user takes as long as a wrong password and is answered the same.
 * @throws ConsoleError wrong-credentials, too-many-requests, unavailable
 */
export async function logIn(
  context: ConsoleContext,
  request: { username: string; password: string },
  address: string,
): Promise<{ view: SessionView; token: string; maxAgeSeconds: number }> {
  const waitMs = await context.loginLimiter.attempt(address, request.username);
  if (waitMs !== null) {
    throw new ConsoleError(
      'too-many-requests',
      `Too many attempts to log in: try again in ${Math.ceil(waitMs / 1_000)} s.`,
      {
        retryAfterMs: waitMs,
      },
    );
  }
  if (context.passwords.waiting >= MAX_WAITING) {
    const message = 'Very many people log in at this moment: try again.';
    throw new ConsoleError('unavailable', message, { retryAfterMs: 1_000 });
  }
  const account = await context.storage.accounts.account(request.username);
  if (!(await context.passwords.verify(request.password, account?.passwordHash ?? null)) || account === undefined) {
    context.count('login-failed');
    // A name that does not exist may be a password in the wrong field, so it is not written down.
    const subject = account?.username ?? 'unknown';
    const entry = { actor: 'anonymous', action: 'login.refuse', subject, detail: { address } };
    await audit(context, context.storage, entry);
    throw new ConsoleError('wrong-credentials', 'The user name or the password is wrong.');
  }
  await context.loginLimiter.succeeded(address, request.username);
  const token = context.random.secret();
  const nowMs = context.clock.nowMs();
  await context.storage.transaction(async (stores) => {
    const { username } = account;
    await stores.accounts.insertSession({
      tokenHash: keyedDigestOf(token, context.sessionKey),
      username,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + context.limits.sessionMs,
    });
    await audit(context, stores, { actor: username, action: 'login', subject: username, detail: { address } });
  });
  const view = { username: account.username, role: account.role };
  return { view, token, maxAgeSeconds: Math.floor(context.limits.sessionMs / 1_000) };
}
