import type { AccountView } from '@weir/protocol';
import { accountView } from './account-view.ts';
import type { ConsoleContext } from './context.ts';

/** All accounts, by name. */
export async function listAccounts(context: Pick<ConsoleContext, 'storage' | 'clock'>): Promise<AccountView[]> {
  return (await context.storage.accounts.accounts(context.clock.nowMs())).map(accountView);
}
