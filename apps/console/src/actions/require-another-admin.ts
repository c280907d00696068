import type { Account } from '../ports/account-store.ts';
import type { Stores } from '../ports/storage.ts';
import { ConsoleError } from './console-error.ts';

/**
 * Refuses to take the last administrator away: nobody could change settings or make another one. Part of the caller's
 * transaction, so two administrators cannot remove each other at once.
 * @throws ConsoleError last-admin
 */
export async function requireAnotherAdmin(stores: Pick<Stores, 'accounts'>, account: Account): Promise<void> {
  if (account.role !== 'admin' || (await stores.accounts.countWithRole('admin')) > 1) return;
  throw new ConsoleError(
    'last-admin',
    `${account.username} is the only administrator: make another account an administrator first.`,
  );
}
