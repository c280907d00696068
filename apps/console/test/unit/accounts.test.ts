import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeOwnPassword } from '../../src/actions/change-own-password.ts';
import { changeRole } from '../../src/actions/change-role.ts';
import { createAccount } from '../../src/actions/create-account.ts';
import { deleteAccount } from '../../src/actions/delete-account.ts';
import { ensureAccounts } from '../../src/actions/ensure-accounts.ts';
import { findSession } from '../../src/actions/find-session.ts';
import { listAccounts } from '../../src/actions/list-accounts.ts';
import { logIn } from '../../src/actions/log-in.ts';
import { resetPassword } from '../../src/actions/reset-password.ts';
import { TestConsole } from '../support/test-console.ts';

let console: TestConsole;

beforeEach(async () => {
  console = await TestConsole.start();
  await ensureAccounts(console.context, 'first-password', []);
});
afterEach(() => console.stop());

const logInAs = (username: string, password: string) => logIn(console.context, { username, password }, '192.0.2.1');
const alive = async (token: string) => (await findSession(console.context, token)) !== undefined;

test('an account with a made-up password can log in with it, and only its hash is kept', async () => {
  const { account, password } = await createAccount(console.context, { username: 'ann', role: 'operator' }, 'admin');
  expect(account).toMatchObject({ username: 'ann', role: 'operator', createdBy: 'admin', sessions: 0 });
  expect(password).toHaveLength(43);
  expect((await logInAs('ann', password ?? '')).view).toEqual({ username: 'ann', role: 'operator' });
  expect((await console.storage.accounts.account('ann'))?.passwordHash).toMatch(/^scrypt\$/);
  expect(await listAccounts(console.context)).toContainEqual({
    ...account,
    lastLoginAtMs: console.clock.nowMs(),
    sessions: 1,
  });
});

test('a password that was typed is not told again', async () => {
  const input = { username: 'ann', role: 'viewer', password: 'typed-password' } as const;
  expect((await createAccount(console.context, input, 'admin')).password).toBeNull();
  await expect(createAccount(console.context, input, 'admin')).rejects.toMatchObject({ code: 'name-taken' });
});

test('a new role ends the sessions of the account; the same role again does not', async () => {
  await createAccount(console.context, { username: 'ann', role: 'operator', password: 'typed-password' }, 'admin');
  const { token } = await logInAs('ann', 'typed-password');
  expect(await changeRole(console.context, 'ann', 'operator', 'admin')).toMatchObject({ sessions: 1 });
  expect(await alive(token)).toBe(true);
  expect(await changeRole(console.context, 'ann', 'viewer', 'admin')).toMatchObject({ role: 'viewer', sessions: 0 });
  expect(await alive(token)).toBe(false);
});

test('a password that is reset ends the sessions and the old password', async () => {
  await createAccount(console.context, { username: 'ann', role: 'viewer', password: 'typed-password' }, 'admin');
  const { token } = await logInAs('ann', 'typed-password');
  const { password } = await resetPassword(console.context, 'ann', undefined, 'admin');
  expect(await alive(token)).toBe(false);
  await expect(logInAs('ann', 'typed-password')).rejects.toMatchObject({ code: 'wrong-credentials' });
  expect((await logInAs('ann', password ?? '')).view.username).toBe('ann');
  await expect(resetPassword(console.context, 'bob', undefined, 'admin')).rejects.toMatchObject({ code: 'not-found' });
});

test('who changes the own password goes on, and every other session of the account ends', async () => {
  const stolen = await logInAs('admin', 'first-password');
  const own = await logInAs('admin', 'first-password');
  const change = { currentPassword: 'first-password', newPassword: 'second-password' };
  const { token } = await changeOwnPassword(console.context, 'admin', change, '192.0.2.1');
  expect([await alive(stolen.token), await alive(own.token), await alive(token)]).toEqual([false, false, true]);
  await expect(logInAs('admin', 'first-password')).rejects.toMatchObject({ code: 'wrong-credentials' });
});

test('the own password is not changed without the present one, and guessing it is slowed like logging in', async () => {
  const guess = { currentPassword: 'guessed', newPassword: 'second-password' };
  const attempt = () => changeOwnPassword(console.context, 'admin', guess, '192.0.2.1');
  const codes: unknown[] = [];
  for (let n = 0; n < 10; n += 1) codes.push(await attempt().catch((error: { code: string }) => error.code));
  expect(codes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'wrong-credentials'));
  expect(codes.slice(5)).toEqual(Array.from({ length: 5 }, () => 'too-many-requests'));
});

test('the last administrator keeps the role and the account, also when two are taken away at once', async () => {
  const last = { code: 'last-admin' };
  await expect(deleteAccount(console.context, 'admin', 'admin')).rejects.toMatchObject(last);
  await expect(changeRole(console.context, 'admin', 'viewer', 'admin')).rejects.toMatchObject(last);
  await createAccount(console.context, { username: 'ann', role: 'admin', password: 'typed-password' }, 'admin');
  const outcomes = await Promise.allSettled([
    deleteAccount(console.context, 'admin', 'ann'),
    changeRole(console.context, 'ann', 'viewer', 'admin'),
  ]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await console.storage.accounts.countWithRole('admin')).toBe(1);
});

test('a deleted account is out at once and stays deleted', async () => {
  await createAccount(console.context, { username: 'ann', role: 'admin', password: 'typed-password' }, 'admin');
  const { token } = await logInAs('admin', 'first-password');
  await deleteAccount(console.context, 'admin', 'ann');
  expect(await alive(token)).toBe(false);
  await expect(logInAs('admin', 'first-password')).rejects.toMatchObject({ code: 'wrong-credentials' });
  expect(await ensureAccounts(console.context, undefined, [])).toBeNull();
  expect((await listAccounts(console.context)).map(({ username }) => username)).toEqual(['ann']);
});

test('an account that is changed while its password is checked gets no session', async () => {
  await createAccount(console.context, { username: 'ann', role: 'viewer', password: 'typed-password' }, 'admin');
  const { passwords } = console.context;
  const slow = {
    ...console.context,
    passwords: {
      waiting: 0,
      hash: (password: string) => passwords.hash(password),
      verify: async (password: string, hash: string | null) => {
        const right = await passwords.verify(password, hash);
        await resetPassword(console.context, 'ann', 'other-password', 'admin');
        return right;
      },
    },
  };
  const attempt = logIn(slow, { username: 'ann', password: 'typed-password' }, '192.0.2.1');
  await expect(attempt).rejects.toMatchObject({ code: 'wrong-credentials' });
  expect((await listAccounts(console.context)).find(({ username }) => username === 'ann')?.sessions).toBe(0);
});
