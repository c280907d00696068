import { quotaInput, type QuotaInput } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createQuotaStore } from '../../src/actions/create-quota-store.ts';
import { deleteQuota } from '../../src/actions/delete-quota.ts';
import { deleteQuotaStore } from '../../src/actions/delete-quota-store.ts';
import { readQuotaUsage } from '../../src/actions/read-quota-usage.ts';
import { saveQuota } from '../../src/actions/save-quota.ts';
import { resetSubject, takeQuota } from '../../src/actions/take-quota.ts';
import { startQuotaAudit } from '../../src/actions/quota-audits.ts';
import { TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
  await console.clock.advance(0);
});
afterEach(() => console.stop());

const INPUT = { storeId: 'memory', quota: 'api', limit: 3, period: { unit: 'hour', count: 1 } };
const define = (change: object = {}, definitionId: string | null = null) =>
  saveQuota(console.context, definitionId, quotaInput.parse({ ...INPUT, ...change }), 'admin');
const sumOf = (values: readonly (number | null)[]): number => values.reduce<number>((all, n) => all + (n ?? 0), 0);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
const add = (address: string, more: object = {}) =>
  codeOf(createQuotaStore(console.context, { name: 'x', address, ...more }, 'admin'));

test('a quota admits its limit and not one more, and the page says who was refused', async () => {
  const { definitionId } = await define();
  const outcomes: boolean[] = [];
  for (let n = 0; n < 5; n += 1) outcomes.push((await takeQuota(console.context, definitionId, 'tenant-7', 1)).allowed);
  expect(outcomes).toEqual([true, true, true, false, false]);
  await takeQuota(console.context, definitionId, 'tenant-8', 2);
  const usage = await readQuotaUsage(console.context, definitionId);
  expect(usage.top).toMatchObject([
    { subject: 'tenant-7', used: 3, limit: 3, refused: 2 },
    { subject: 'tenant-8', used: 2, limit: 3, refused: 0 },
  ]);
  expect(usage.quota).toMatchObject({ takes: 6, refused: 2, refusedLastHour: 2, problem: null });
});

test('the picture has the refusals of each minute, also after a restart', async () => {
  const { definitionId } = await define();
  await takeQuota(console.context, definitionId, 't', 3);
  for (let n = 0; n < 4; n += 1) await takeQuota(console.context, definitionId, 't', 1);
  await console.clock.advance(61_000);
  const { series } = await readQuotaUsage(console.context, definitionId);
  expect([sumOf(series.admitted), sumOf(series.refused)]).toEqual([1, 4]);
});

test('a subject that is reset begins anew', async () => {
  const { definitionId } = await define();
  await takeQuota(console.context, definitionId, 't', 3);
  await resetSubject(console.context, definitionId, 't', 'admin');
  expect(await takeQuota(console.context, definitionId, 't', 3)).toMatchObject({ allowed: true, used: 3 });
});

test('a quota that is defined anew is in force at once', async () => {
  const { definitionId } = await define();
  await takeQuota(console.context, definitionId, 't', 3);
  await define({ limit: 4 }, definitionId);
  expect(await takeQuota(console.context, definitionId, 't', 1)).toMatchObject({ allowed: true, limit: 4 });
  await define({ limit: 2, shadow: true }, definitionId);
  expect(await takeQuota(console.context, definitionId, 't', 1)).toMatchObject({ allowed: true });
  expect((await readQuotaUsage(console.context, definitionId)).quota.refused).toBe(1);
});

test('what the engine would refuse is refused with the field', async () => {
  const bad: [Partial<QuotaInput>, string][] = [
    [{ zone: 'Mars/Olympus' }, 'zone'],
    [{ period: { unit: 'hour', count: 5_000 } }, 'period.count'],
  ];
  for (const [change, field] of bad) {
    await expect(define(change)).rejects.toMatchObject({ code: 'validation-failed', fields: [{ field }] });
  }
  await expect(define({ storeId: 'qst_0' })).rejects.toMatchObject({ fields: [{ field: 'storeId' }] });
});

test("names are unique on a store, and the console's own quotas cannot be touched", async () => {
  await define();
  expect(await codeOf(define())).toBe('name-taken');
  expect(await codeOf(define({ quota: 'login-user' }))).toBe('name-taken');
  expect(await codeOf(define({ quota: 'other' }, 'login-user'))).toBe('wrong-state');
  expect(await codeOf(deleteQuota(console.context, 'login-user', 'admin'))).toBe('wrong-state');
  expect(await codeOf(takeQuota(console.context, 'login-user', 'x', 1))).toBe('wrong-state');
  expect(await codeOf(deleteQuotaStore(console.context, 'memory', 'admin'))).toBe('not-found');
  expect(await codeOf(startQuotaAudit(console.context, { storeId: 'memory', counters: [] }, 'admin'))).toBe(
    'wrong-state',
  );
});

test('wrong passwords are seen on the page of the quota that slows them, without the names that were typed', async () => {
  const { loginLimiter } = console.context;
  for (let n = 0; n < 7; n += 1) await loginLimiter.attempt('192.0.2.9', 'a-secret-in-the-wrong-field');
  const usage = await readQuotaUsage(console.context, 'login-user');
  expect(usage.quota).toMatchObject({ builtIn: true, takes: 7, refused: 2 });
  const address = await readQuotaUsage(console.context, 'login-address');
  expect(address.top).toMatchObject([{ subject: '192.0.2.9', used: 5, limit: 30 }]);
  expect(JSON.stringify([usage, address])).not.toContain('a-secret');
});

test('calls beyond the bound of an address are refused until the minute is over', async () => {
  const { callLimiter } = console.context;
  for (let n = 0; n < 6_000; n += 1) expect(callLimiter.admit('192.0.2.9')).toBeNull();
  expect(callLimiter.admit('192.0.2.9')).toBeGreaterThan(0);
  expect(callLimiter.admit('192.0.2.10')).toBeNull();
  await console.clock.advance(60_000);
  expect(callLimiter.admit('192.0.2.9')).toBeNull();
});

test('stores at metadata addresses, without a server or with a password for memcached are refused', async () => {
  expect(await add('redis://169.254.169.254:6379')).toBe('endpoint-forbidden-address');
  expect(await add('memcached://127.0.0.1:11211,metadata.internal:80')).toBe('endpoint-forbidden-address');
  expect(await add('memcached://127.0.0.1:1', { password: 'x' })).toBe('validation-failed');
  expect(await add('redis://127.0.0.1:99999')).toBe('validation-failed');
});
