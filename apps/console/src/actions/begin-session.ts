import type { Account } from '../ports/account-store.ts';
import type { Stores } from '../ports/storage.ts';
import { keyedDigestOf } from '../security/digests.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/** A session that was begun: the cookie's token, and how long it lasts. */
export interface BegunSession {
  token: string;
  maxAgeSeconds: number;
}

/**
 * Begins a session of an account whose password was checked. Part of the caller's transaction: if the password or the role was
 * changed while it was being checked, there is no session.
 * @throws ConsoleError wrong-credentials
 */
export async function beginSession(context: ConsoleContext, stores: Stores, checked: Account): Promise<BegunSession> {
  const account = await stores.accounts.account(checked.username);
  if (account?.passwordHash !== checked.passwordHash || account.role !== checked.role) {
    throw new ConsoleError('wrong-credentials', 'The account was changed at this moment: log in again.');
  }
  const token = context.random.secret();
  const nowMs = context.clock.nowMs();
  await stores.accounts.saveAccount({ ...account, lastLoginAtMs: nowMs });
  await stores.accounts.insertSession({
    tokenHash: keyedDigestOf(token, context.sessionKey),
    username: account.username,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + context.limits.sessionMs,
  });
  return { token, maxAgeSeconds: Math.floor(context.limits.sessionMs / 1_000) };
}
