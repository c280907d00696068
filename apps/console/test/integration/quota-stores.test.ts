import type { AuditRunView, QuotaStoreView } from '@weir/protocol';
import { startMemcached, type MemcachedServer } from '@weir/testkit/memcached';
import { redisCommand, redisPipeline, startRedis, type RedisServer } from '@weir/testkit/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNTS, codeOf, HttpConsole } from '../support/running-console.ts';

let console: HttpConsole;
let redis: RedisServer;
let memcached: MemcachedServer;
let admin: string;

beforeAll(async () => {
  [redis, memcached] = await Promise.all([startRedis(), startMemcached()]);
  console = await HttpConsole.start({ accounts: ACCOUNTS });
  admin = await console.login();
});
afterAll(async () => {
  await console.stop();
  await Promise.all([redis.stop(), memcached.stop()]);
});

const post = (path: string, body: unknown, cookie = admin) => console.call('POST', `/api/v1/${path}`, { cookie, body });
const get = (path: string) => console.call('GET', `/api/v1/${path}`, { cookie: admin });

/** One of the keys like this. */
async function firstKey(pattern: string): Promise<string> {
  const keys = await redisCommand(redis.port, 'KEYS', pattern);
  return Array.isArray(keys) ? String(keys[0]) : '';
}

async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const ended = (auditId: string) =>
  until('the audit has ended', async () => {
    const audit: AuditRunView = (await get(`quota-audits/${auditId}`)).body;
    return audit.state === 'listing' || audit.state === 'fixing' ? undefined : audit;
  });

async function addStore(name: string, address: string): Promise<QuotaStoreView> {
  const answer = await post('quota-stores', { name, address });
  expect(answer.text).toContain('"state":"up"');
  return answer.body;
}

test('a quota on Redis counts what every process takes, and shows who took most', async () => {
  const store = await addStore('Counters', `redis://127.0.0.1:${redis.port}`);
  expect(store).toMatchObject({ kind: 'redis', profile: { exact: true }, problem: null });
  const input = { storeId: store.storeId, quota: 'api', limit: 5, period: { unit: 'day', count: 1 } };
  const { definitionId } = (await post('quotas', input)).body;
  for (let n = 0; n < 7; n += 1) await post(`quotas/${definitionId}/take`, { subject: 'tenant-1' });
  // What another process counted under the same quota.
  const key = await firstKey('wq1:api:{tenant-1}:*');
  await redisCommand(redis.port, 'SET', key.replace('tenant-1', 'tenant-2'), '4', 'EX', '100000');
  const usage = (await get(`quotas/${definitionId}/usage`)).body;
  expect(usage).toMatchObject({ subjects: 2, partial: false });
  expect(usage.top).toMatchObject([
    { subject: 'tenant-1', used: 5, limit: 5, refused: 2 },
    { subject: 'tenant-2', used: 4, limit: 5, refused: 0 },
  ]);
  expect(await redisCommand(redis.port, 'TTL', key)).toBeGreaterThan(0);
});

test('a quota on memcached counts exactly, too', async () => {
  const store = await addStore('Cache', `memcached://127.0.0.1:${memcached.port}`);
  const input = { storeId: store.storeId, quota: 'mail', limit: 2, period: { unit: 'hour', count: 1 } };
  const { definitionId } = (await post('quotas', input)).body;
  const allowed: boolean[] = [];
  for (let n = 0; n < 3; n += 1)
    allowed.push((await post(`quotas/${definitionId}/take`, { subject: 'a' })).body.allowed);
  expect(allowed).toEqual([true, true, false]);
  expect((await get(`quotas/${definitionId}/usage`)).body.top).toMatchObject([{ subject: 'a', used: 2, refused: 1 }]);
});

test('an audit finds what was planted, plans without changing anything, and repairs after a confirmation', async () => {
  await redisPipeline(
    redis.port,
    Array.from({ length: 40 }, (_, n) => ['SET', `usage:t${n % 8}:2026-10-${String(10 + (n % 20))}`, String(n)]),
  );
  const { stores } = (await get('quota-stores')).body;
  const store: QuotaStoreView = stores.find(({ name }: QuotaStoreView) => name === 'Counters');
  const started = await post('quota-audits', { storeId: store.storeId });
  expect(started.body).toMatchObject({ state: 'listing', startedBy: 'admin' });
  const { auditId } = started.body;
  const audit = await ended(auditId);
  const planted = Number(await redisCommand(redis.port, 'EVAL', `return #redis.call('KEYS', 'usage:*')`, '0'));
  expect(audit).toMatchObject({ state: 'done', report: { findings: { undated: { keys: planted } } } });

  const dry = await post(`quota-audits/${auditId}/repair`, { mode: 'date' });
  expect(dry.body.plan).toMatchObject({ mode: 'date', changes: planted });
  const undated = await firstKey('usage:*');
  expect(await redisCommand(redis.port, 'TTL', undated)).toBe(-1);

  const unconfirmed = await post(`quota-audits/${auditId}/repair`, { mode: 'date', dryRun: false });
  expect(codeOf(unconfirmed)).toBe('validation-failed');
  const wrong = await post(`quota-audits/${auditId}/repair`, { mode: 'date', dryRun: false, confirm: 'Cache' });
  expect(codeOf(wrong)).toBe('validation-failed');
  expect(await redisCommand(redis.port, 'TTL', undated)).toBe(-1);

  const fix = await post(`quota-audits/${auditId}/repair`, { mode: 'date', dryRun: false, confirm: 'Counters' });
  expect(fix.status).toBe(200);
  expect(await ended(auditId)).toMatchObject({ state: 'fixed', repair: { mode: 'date', done: planted, failed: 0 } });
  expect(await redisCommand(redis.port, 'TTL', undated)).toBeGreaterThan(0);
});

test('audits, stores and what was counted survive a restart', async () => {
  await console.restart({ accounts: ACCOUNTS });
  admin = await console.login();
  const { audits } = (await get('quota-audits')).body;
  expect(audits).toMatchObject([{ state: 'fixed', report: { findings: {} } }]);
  const state = async (name: string, wanted: string) =>
    until(`${name} is ${wanted}`, async () => {
      const { stores } = (await get('quota-stores')).body;
      return stores.find((store: QuotaStoreView) => store.name === name && store.state === wanted);
    });
  await state('Counters', 'up');
  await state('Cache', 'up');
  const { quotas } = (await get('quotas')).body;
  const [api] = quotas;
  expect((await post(`quotas/${api.definitionId}/take`, { subject: 'tenant-1' })).body).toMatchObject({
    allowed: false,
    used: 5,
  });
});

test('deadline health tells undated entries and an eviction policy that costs live counters', async () => {
  await redisCommand(redis.port, 'SET', 'undated', '1');
  await redisCommand(redis.port, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await console.restart({ accounts: ACCOUNTS });
  admin = await console.login();
  const store = await until('the store was looked at', async () => {
    const { stores } = (await get('quota-stores')).body;
    return stores.find((each: QuotaStoreView) => each.name === 'Counters' && each.health !== null);
  });
  expect(store.health).toMatchObject({ evictionPolicy: 'allkeys-lru', restarts: 0 });
  expect(store.health.undated).toBeGreaterThanOrEqual(1);
  expect(store.warnings).toEqual(expect.arrayContaining(['undated-entries', 'eviction-policy-unsafe']));
});

test('a store in use stays, and one that is not reached is not saved', async () => {
  const { stores } = (await get('quota-stores')).body;
  const { storeId } = stores.find((store: QuotaStoreView) => store.name === 'Counters');
  expect(codeOf(await console.call('DELETE', `/api/v1/quota-stores/${storeId}`, { cookie: admin }))).toBe('in-use');
  const nobody = await post('quota-stores', { name: 'Nobody', address: 'redis://127.0.0.1:1' });
  expect(codeOf(nobody)).toBe('store-unreachable');
  expect((await get('quota-stores')).text).not.toContain('Nobody');
});

test('the password of a store is in no answer, no log and no file, and a wrong one is named as such', async () => {
  await redisCommand(redis.port, 'CONFIG', 'SET', 'requirepass', 'redis-store-secret');
  const body = { name: 'Locked', address: `redis://127.0.0.1:${redis.port}` };
  const wrong = await post('quota-stores/test', { ...body, password: 'wrong-store-secret' });
  expect(codeOf(wrong)).toBe('store-unreachable');
  expect(wrong.body.error.fields[0].field).toBe('password');
  const saved = await post('quota-stores', { ...body, password: 'redis-store-secret' });
  expect(saved.body).toMatchObject({ hasPassword: true, state: 'up' });
  const everything = console.answers.join('\n') + console.logs.join('\n');
  expect(everything).toContain('Locked');
  expect(everything).not.toMatch(/(redis|wrong)-store-secret/);
});

test('a viewer reads quotas and changes none', async () => {
  const viewer = await console.login('viewer');
  expect((await console.call('GET', '/api/v1/quotas', { cookie: viewer })).status).toBe(200);
  expect(codeOf(await post('quota-audits', { storeId: 'memory' }, viewer))).toBe('forbidden');
  const operator = await console.login('operator');
  expect(codeOf(await post('quotas', {}, operator))).toBe('forbidden');
});
