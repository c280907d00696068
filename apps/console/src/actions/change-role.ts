import { fieldChanges, type AccountView, type Role } from '@weir/protocol';
import { accountView, noAccount } from './account-view.ts';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';
import { requireAnotherAdmin } from './require-another-admin.ts';

/**
 * Gives an account another role and ends its sessions, so that nobody goes on with what they may not do any more.
 * @throws ConsoleError not-found, last-admin
 */
export async function changeRole(
  context: ConsoleContext,
  username: string,
  role: Role,
  actor: string,
): Promise<AccountView> {
  return context.storage.transaction(async (stores) => {
    const known = await stores.accounts.account(username);
    if (known === undefined) throw noAccount(username);
    if (known.role === role) {
      const all = await stores.accounts.accounts(context.clock.nowMs());
      return accountView(all.find(({ account }) => account.username === username) ?? { account: known, sessions: 0 });
    }
    if (role !== 'admin') await requireAnotherAdmin(stores, known);
    const account = { ...known, role };
    await stores.accounts.saveAccount(account);
    await stores.accounts.endSessionsOf(username);
    const changes = fieldChanges({ role: known.role }, { role });
    await audit(context, stores, { actor, action: 'account.role', subject: username, detail: {}, changes });
    return accountView({ account, sessions: 0 });
  });
}
