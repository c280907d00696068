import type { SessionView } from '@weir/protocol';
import { admitPasswordAttempt } from './admit-password-attempt.ts';
import { audit } from './audit-trail.ts';
import { beginSession, type BegunSession } from './begin-session.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Checks a password and begins a session. An unknown user takes as long as a wrong password and is answered the same.
 * @throws ConsoleError wrong-credentials, too-many-requests, unavailable
 */
export async function logIn(
  context: ConsoleContext,
  request: { username: string; password: string },
  address: string,
): Promise<BegunSession & { view: SessionView }> {
  await admitPasswordAttempt(context, address, request.username);
  const account = await context.storage.accounts.account(request.username);
  if (!(await context.passwords.verify(request.password, account?.passwordHash ?? null)) || account === undefined) {
    context.count('login-failed');
    // A name that does not exist may be a password in the wrong field, so it is not written down.
    const subject = account?.username ?? 'unknown';
    await audit(context, context.storage, { actor: 'anonymous', action: 'login.refuse', subject, detail: {} });
    throw new ConsoleError('wrong-credentials', 'The user name or the password is wrong.');
  }
  await context.loginLimiter.succeeded(address, request.username);
  const { username, role } = account;
  const session = await context.storage.transaction(async (stores) => {
    const begun = await beginSession(context, stores, account);
    await audit(context, stores, { actor: username, action: 'login', subject: username, detail: {} });
    return begun;
  });
  return { ...session, view: { username, role } };
}
