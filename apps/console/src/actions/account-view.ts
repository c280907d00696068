import type { AccountView } from '@weir/protocol';
import type { Account } from '../ports/account-store.ts';
import { ConsoleError } from './console-error.ts';

/** An account as pages see it: without the hash of its password. */
export function accountView({ account, sessions }: { account: Account; sessions: number }): AccountView {
  const { username, role, createdAtMs, createdBy, passwordChangedAtMs, lastLoginAtMs } = account;
  return { username, role, createdAtMs, createdBy, passwordChangedAtMs, lastLoginAtMs, sessions };
}

/** The refusal for an account that is not there. */
export function noAccount(username: string): ConsoleError {
  return new ConsoleError('not-found', `There is no account ${username}.`);
}
