import type { AccountSaved } from '@weir/protocol';
import { accountView, noAccount } from './account-view.ts';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Sets the password of an account and ends its sessions. Without a password one is made up and told this once.
 * @throws ConsoleError not-found
 */
export async function resetPassword(
  context: ConsoleContext,
  username: string,
  given: string | undefined,
  actor: string,
): Promise<AccountSaved> {
  // Asked before the slow hash, and again below: it may be deleted meanwhile.
  if ((await context.storage.accounts.account(username)) === undefined) throw noAccount(username);
  const password = given ?? context.random.secret();
  const passwordHash = await context.passwords.hash(password);
  const account = await context.storage.transaction(async (stores) => {
    const known = await stores.accounts.account(username);
    if (known === undefined) throw noAccount(username);
    const changed = { ...known, passwordHash, passwordChangedAtMs: context.clock.nowMs() };
    await stores.accounts.saveAccount(changed);
    await stores.accounts.endSessionsOf(username);
    const detail = { madeUp: given === undefined };
    await audit(context, stores, { actor, action: 'account.password', subject: username, detail });
    return changed;
  });
  return { account: accountView({ account, sessions: 0 }), password: given === undefined ? password : null };
}
