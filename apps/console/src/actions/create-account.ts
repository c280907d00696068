import type { AccountInput, AccountSaved } from '@weir/protocol';
import { accountView } from './account-view.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/** Accounts that a console has at most: its page lists them all. */
const MAX_ACCOUNTS = 1_000;

/**
 * Makes an account. Without a password one is made up and told this once.
 * @throws ConsoleError name-taken, wrong-state
 */
export async function createAccount(
  context: ConsoleContext,
  input: AccountInput,
  actor: string,
): Promise<AccountSaved> {
  const { username, role } = input;
  const password = input.password ?? context.random.secret();
  const passwordHash = await context.passwords.hash(password);
  const nowMs = context.clock.nowMs();
  const account = {
    username,
    role,
    passwordHash,
    createdAtMs: nowMs,
    createdBy: actor,
    passwordChangedAtMs: nowMs,
    lastLoginAtMs: null,
  };
  await context.storage.transaction(async (stores) => {
    if ((await stores.accounts.account(username)) !== undefined) {
      throw new ConsoleError('name-taken', `There is an account ${username} already: choose another name.`, {
        fields: [{ field: 'username', value: username, problem: 'is the name of another account' }],
      });
    }
    if ((await stores.accounts.accounts(nowMs)).length >= MAX_ACCOUNTS) {
      throw new ConsoleError('wrong-state', `A console has at most ${MAX_ACCOUNTS} accounts: delete one first.`);
    }
    await stores.accounts.saveAccount(account);
    await audit(context, stores, { actor, action: 'account.create', subject: username, detail: { role } });
  });
  return { account: accountView({ account, sessions: 0 }), password: input.password === undefined ? password : null };
}
