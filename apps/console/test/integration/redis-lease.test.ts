import { startRedis, type RedisServer } from '@weir/testkit/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectRedis, type RedisConnection } from '../../src/host/redis-connection.ts';
import { LEASE_MS } from '../../src/leadership/lease-times.ts';
import { redisLease } from '../../src/leadership/redis-lease.ts';
import type { LeaseStore } from '../../src/ports/lease-store.ts';
import { silentLogger } from '../support/test-console.ts';

const SELF = { url: 'http://127.0.0.1:1', version: '1', secrets: 's', database: 'd', schema: 6, fence: null };
let server: RedisServer;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startRedis({});
  redis = await connectRedis(`redis://127.0.0.1:${server.port}`, silentLogger);
});
afterAll(async () => {
  redis.close();
  await server.stop();
});

/** A lease whose key holds this already. */
async function holding(key: string, value: string, ...deadline: string[]): Promise<LeaseStore> {
  await server.command('SET', key, value, ...deadline);
  return redisLease(redis, key);
}

test('a value without a deadline, whoever wrote it, does not keep everybody from leading for ever', async () => {
  const lease = await holding('no-deadline', 'somebody else was here');
  expect(await lease.claim('term', SELF, true)).toEqual({ held: 'other', holder: null, remainingMs: LEASE_MS });
  const leftMs = Number(await server.command('PTTL', 'no-deadline'));
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(LEASE_MS);
});

test('a holder at what is no address of a console is held for unknown: nothing is sent there', async () => {
  for (const url of ['nonsense', 'file:///etc/passwd', '']) {
    const lease = await holding('no-address', `term ${JSON.stringify({ ...SELF, url })}`, 'PX', '9000');
    expect(await lease.claim('another', SELF, true)).toMatchObject({ held: 'other', holder: null });
  }
  const lease = await holding('address', `term ${JSON.stringify(SELF)}`, 'PX', '9000');
  expect(await lease.claim('another', SELF, true)).toMatchObject({ held: 'other', holder: SELF });
});

test('a leader keeps its lease while Redis is full; nobody gets a new one', async () => {
  const lease = redisLease(redis, 'full');
  expect(await lease.claim('term', SELF, true)).toEqual({ held: 'own' });
  await server.command('CONFIG', 'SET', 'maxmemory', '1');
  await server.command('PEXPIRE', 'full', '1000');
  expect(await lease.claim('term', SELF, true)).toEqual({ held: 'own' });
  expect(Number(await server.command('PTTL', 'full'))).toBeGreaterThan(1_000);
  await expect(redisLease(redis, 'new').claim('term', SELF, true)).rejects.toThrow('OOM');
  await server.command('CONFIG', 'SET', 'maxmemory', '0');
});

test('whoever only looks never gets the lease, and an older console that tells less is a holder too', async () => {
  const lease = redisLease(redis, 'looked-at');
  expect(await lease.look()).toEqual({ held: 'missing' });
  await lease.claim('term', SELF, true);
  expect(await lease.look()).toMatchObject({ held: 'other', holder: SELF });
  await lease.release('term');
  expect(await lease.look()).toEqual({ held: 'missing' });
  expect(await lease.claim('another', SELF, false)).toEqual({ held: 'own' });
  const { url, version, secrets } = SELF;
  const older = await holding('older', `term ${JSON.stringify({ url, version, secrets, fence: 4 })}`, 'PX', '9000');
  expect(await older.look()).toMatchObject({ held: 'other', holder: { url, fence: 4, database: null, schema: null } });
});
