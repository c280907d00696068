import { fieldChanges, type Role } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';
import { audit } from './audit-trail.ts';

const ADMIN = 'admin';

/**
 * Makes the accounts that the options name, and `admin`. A password that is given replaces a different one, and ends the
 * sessions that were begun with it. Returns the password that was made up for a new `admin`; null when none was, because
 * there is an administrator already, under whatever name.
 */
export async function ensureAccounts(
  context: ConsoleContext,
  adminPassword: string | undefined,
  accounts: readonly { username: string; role: Role; password: string }[],
): Promise<string | null> {
  for (const account of accounts) await ensureAccount(context, account);
  if (adminPassword === undefined && (await hasOtherAdmin(context, accounts))) return null;
  const password = adminPassword ?? context.random.secret();
  await ensureAccount(context, { username: ADMIN, role: 'admin', password });
  return adminPassword === undefined ? password : null;
}

/** An administrator that only the options name goes with them: it does not count. */
async function hasOtherAdmin(context: ConsoleContext, named: readonly { username: string }[]): Promise<boolean> {
  const all = await context.storage.accounts.accounts(context.clock.nowMs());
  return all.some(
    ({ account }) => account.role === 'admin' && !named.some(({ username }) => username === account.username),
  );
}

async function ensureAccount(
  context: ConsoleContext,
  { username, role, password }: { username: string; role: Role; password: string },
): Promise<void> {
  const known = await context.storage.accounts.account(username);
  if (known?.role === role && (await context.passwords.verify(password, known.passwordHash))) return;
  const passwordHash = await context.passwords.hash(password);
  const nowMs = context.clock.nowMs();
  await context.storage.transaction(async (stores) => {
    const { createdAtMs, createdBy, lastLoginAtMs } = known ?? {
      createdAtMs: nowMs,
      createdBy: 'console',
      lastLoginAtMs: null,
    };
    const account = { username, role, passwordHash, createdAtMs, createdBy, passwordChangedAtMs: nowMs, lastLoginAtMs };
    await stores.accounts.saveAccount(account);
    await stores.accounts.endSessionsOf(username);
    const action = known === undefined ? 'account.create' : 'account.change';
    const changes = known === undefined ? [] : fieldChanges({ role: known.role }, { role });
    await audit(context, stores, { actor: 'console', action, subject: username, detail: { role }, changes });
  });
}
