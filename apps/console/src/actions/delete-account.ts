import { noAccount } from './account-view.ts';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';
import { requireAnotherAdmin } from './require-another-admin.ts';

/**
 * Deletes an account and ends its sessions. What it did stays in the audit log under its name.
 * @throws ConsoleError not-found, last-admin
 */
export async function deleteAccount(context: ConsoleContext, username: string, actor: string): Promise<void> {
  await context.storage.transaction(async (stores) => {
    const known = await stores.accounts.account(username);
    if (known === undefined) throw noAccount(username);
    await requireAnotherAdmin(stores, known);
    await stores.accounts.endSessionsOf(username);
    await stores.accounts.deleteAccount(username);
    await audit(context, stores, { actor, action: 'account.delete', subject: username, detail: { role: known.role } });
  });
}
