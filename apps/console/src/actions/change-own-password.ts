import type { OwnPasswordChange } from '@weir/protocol';
import { noAccount } from './account-view.ts';
import { admitPasswordAttempt } from './admit-password-attempt.ts';
import { audit } from './audit-trail.ts';
import { beginSession, type BegunSession } from './begin-session.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Changes the password of the person who asks. Ends all sessions of the account and begins a new one for this browser, so
 * that somebody who stole a session is out.
 * @throws ConsoleError wrong-credentials, too-many-requests, unavailable
 */
export async function changeOwnPassword(
  context: ConsoleContext,
  username: string,
  change: OwnPasswordChange,
  address: string,
): Promise<BegunSession> {
  await admitPasswordAttempt(context, address, username);
  const account = await context.storage.accounts.account(username);
  if (account === undefined) throw noAccount(username);
  if (!(await context.passwords.verify(change.currentPassword, account.passwordHash))) {
    await audit(context, context.storage, {
      actor: username,
      action: 'password.refuse',
      subject: username,
      detail: {},
    });
    throw new ConsoleError('wrong-credentials', 'The present password is wrong.', {
      fields: [{ field: 'currentPassword', problem: 'is wrong' }],
    });
  }
  await context.loginLimiter.succeeded(address, username);
  const passwordHash = await context.passwords.hash(change.newPassword);
  return context.storage.transaction(async (stores) => {
    const known = await stores.accounts.account(username);
    if (known?.passwordHash !== account.passwordHash) {
      throw new ConsoleError('wrong-credentials', 'The password was changed at this moment by somebody else.');
    }
    const changed = { ...known, passwordHash, passwordChangedAtMs: context.clock.nowMs() };
    await stores.accounts.saveAccount(changed);
    await stores.accounts.endSessionsOf(username);
    const session = await beginSession(context, stores, changed);
    await audit(context, stores, {
      actor: username,
      action: 'account.password',
      subject: username,
      detail: { own: true },
    });
    return session;
  });
}
