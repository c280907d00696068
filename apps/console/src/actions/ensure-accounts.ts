import type { Role } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';
import { audit } from './audit-trail.ts';

const ADMIN = 'admin';

/**
 * Makes the accounts that the options name, and `admin`. A password that is given replaces a different one, and ends the
 * sessions that were begun with it. Returns the password that was made up for a new `admin`; null when none was.
 */
export async function ensureAccounts(
  context: ConsoleContext,
  adminPassword: string | undefined,
  accounts: readonly { username: string; role: Role; password: string }[],
): Promise<string | null> {
  for (const account of accounts) await ensureAccount(context, account);
  const known = await context.storage.accounts.account(ADMIN);
  if (adminPassword === undefined && known !== undefined) return null;
  const password = adminPassword ?? context.random.secret();
  await ensureAccount(context, { username: ADMIN, role: 'admin', password });
  return adminPassword === undefined ? password : null;
}

async function ensureAccount(
  context: ConsoleContext,
  { username, role, password }: { username: string; role: Role; password: string },
): Promise<void> {
  const known = await context.storage.accounts.account(username);
  if (known?.role === role && (await context.passwords.verify(password, known.passwordHash))) return;
  const passwordHash = await context.passwords.hash(password);
  await context.storage.transaction(async (stores) => {
    await stores.accounts.saveAccount({ username, role, passwordHash });
    await stores.accounts.endSessionsOf(username);
    const action = known === undefined ? 'account.create' : 'account.change';
    await audit(context, stores, { actor: 'console', action, subject: username, detail: { role } });
  });
}
