import { deadlineAt } from '@weir/quota';
import type { Draw } from '@weir/quota';
import { Redis } from 'ioredis';
import { createClient, RESP_TYPES } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startIncrexFront } from '@weir/testkit/redis';
import { startRedis } from '@weir/testkit/redis';
import type { RedisServer } from '@weir/testkit/redis';
import { RedisStore } from '../../src/index.ts';
import { clientNames, connectClient, deadlineOf, undatedOn } from '../support/harness.ts';
import type { Connected } from '../support/harness.ts';
import { failureOf } from '../support/waiting.ts';
import { takeOne } from '../support/take-one.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});

beforeEach(async () => {
  await server.command('FLUSHALL');
});

afterAll(() => server.stop());

const deadline = deadlineAt(Date.now() + 3_600_000, Date.now());

function draw(key: string, amount: number, seen?: number): Draw {
  const one = { key, amount, unit: amount, limit: 1_000_000, deadline };
  return seen === undefined ? one : { ...one, seen };
}

describe.each(clientNames)('over %s', (name) => {
  let connected: Connected;

  beforeAll(async () => {
    connected = await connectClient(name, server.port);
  });

  afterAll(() => connected.end());

  test('scripts and counters that are flushed again and again under load cost no draw and leave nothing undated', async () => {
    const stores = [false, true].map((fastPath) => new RedisStore({ client: connected.client, fastPath }));
    const load = { isOver: false };
    const flushes = (async () => {
      for (let round = 0; !load.isOver; round += 1) {
        await server.command('SCRIPT', 'FLUSH');
        if (round % 3 === 0) await server.command('FLUSHALL');
      }
    })();
    let vanished = 0;
    await Promise.all(
      stores.flatMap((store) =>
        Array.from({ length: 8 }, async (_, worker) => {
          let seen: number | undefined;
          for (let turn = 0; turn < 300; turn += 1) {
            const drawn = await takeOne(store, draw(`flushed-${worker}`, 1, seen));
            expect(drawn.granted).toBe(1);
            if (drawn.vanished === true) vanished += 1;
            seen = drawn.total;
          }
        }),
      ),
    );
    load.isOver = true;
    await flushes;
    expect(vanished).toBeGreaterThan(0);
    expect(await undatedOn(server)).toBe(0);
  });

  test('10,000 draws in one batch are counted each', async () => {
    const store = new RedisStore({ client: connected.client });
    const drawn = await store.take(
      Array.from({ length: 10_000 }, (_, index) => draw(`many-${index}`, 1 + (index % 7))),
    );
    expect(drawn.every((result, index) => !(result instanceof Error) && result.total === 1 + (index % 7))).toBe(true);
    expect(await undatedOn(server)).toBe(0);
  });

  test('lists, texts, fractions and negative numbers are no counters, and are left as they are', async () => {
    await server.command('RPUSH', 'list', 'a');
    await server.command('SET', 'text', 'a');
    await server.command('SET', 'fraction', '1.5');
    await server.command('SET', 'negative', '-5');
    await server.command('SET', 'huge', '9223372036854775807');
    const keys = ['list', 'text', 'fraction', 'negative', 'huge'];
    const store = new RedisStore({ client: connected.client });
    for (const seen of [undefined, 1, 1_000_000]) {
      const results = await store.take([...keys, `good-${seen}`].map((key) => draw(key, 10, seen)));
      const codes = results.map((result) => (result instanceof Error && 'code' in result ? result.code : 'fine'));
      // The huge one stands above the limit, whatever it is.
      expect(codes.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'store-corrupt'));
      expect(codes.at(-1)).toBe('fine');
    }
    for (const key of keys.slice(0, 4)) {
      expect(await failureOf(() => store.takeAll([draw('other', 1), draw(key, 1)]))).toMatchObject({
        code: 'store-corrupt',
        message: expect.stringContaining(key),
      });
      const returned = await store.giveBack([draw(key, 1), draw('absent', 1)]);
      expect(returned).toMatchObject([{ code: 'store-corrupt' }, undefined]);
    }
    expect(await server.command('GET', 'other')).toBeNull();
    expect(await server.command('GET', 'negative')).toBe('-5');
    expect(await server.command('GET', 'fraction')).toBe('1.5');
  });

  test('a deadline that the clock of the server has passed is an error, not a limit that never bites', async () => {
    const store = new RedisStore({ client: connected.client });
    const passed = deadlineAt(Date.now() - 120_000, Date.now() - 180_000);
    const late = { ...draw('late', 1), deadline: passed };
    expect(await store.take([late, draw('fine', 1)])).toMatchObject([{ code: 'invalid-deadline' }, { total: 1 }]);
    expect(await store.take([{ ...late, limit: 0 }])).toMatchObject([{ granted: 0 }]);
    expect(await failureOf(() => store.takeAll([late]))).toMatchObject({ code: 'invalid-deadline' });
    const marker = { key: 'marker', note: '', deadline: passed };
    expect(await failureOf(() => store.takeAll([draw('fine', 1)], marker))).toMatchObject({ code: 'invalid-deadline' });
    expect(await failureOf(() => store.swap('late', undefined, 'a', passed))).toMatchObject({
      code: 'invalid-deadline',
    });
    expect(await store.read(['late', 'fine'])).toEqual([undefined, 1]);
  });

  test('a refused draw on an undated counter dates it', async () => {
    const store = new RedisStore({ client: connected.client });
    await server.command('SET', 'full', '10');
    expect(await takeOne(store, { ...draw('full', 1), limit: 10 })).toEqual({ granted: 0, total: 10 });
    expect(await deadlineOf(server, 'full')).toBe(deadline);
  });

  test('health tells of undated keys, memory, eviction and a restart', async () => {
    const store = new RedisStore({ client: connected.client });
    await takeOne(store, draw('dated', 1));
    await server.command('SET', 'undated', '1');
    const health = await store.health();
    expect(health).toMatchObject({ evictionPolicy: 'noeviction', evicted: 0, undated: 1, entries: 2 });
    expect(health.maxBytes).toBeUndefined();
    expect(health.usedBytes).toBeGreaterThan(100_000);
    expect(health.instance).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe('a server that is full', () => {
  test('one that evicts loses counters, says so, and what replaces them is dated', async () => {
    const small = await startRedis({ config: { maxmemory: '3mb', 'maxmemory-policy': 'allkeys-lru' } });
    const { client, end } = await connectClient('ioredis', small.port);
    try {
      const store = new RedisStore({ client });
      await takeOne(store, draw('first', 5));
      // Redis evicts by sampling: some thousand keys more may be needed than fit.
      for (let round = 0; round < 200 && (await small.command('EXISTS', 'first')) === 1; round += 1) {
        await store.take(Array.from({ length: 1_000 }, (_, index) => draw(`filler-${round}-${index}`, 1)));
      }
      expect(await takeOne(store, draw('first', 5, 5))).toEqual({ granted: 5, total: 5, vanished: true });
      const health = await store.health();
      expect(health).toMatchObject({ evictionPolicy: 'allkeys-lru', undated: 0, maxBytes: 3 * 1_048_576 });
      expect(health.evicted).toBeGreaterThan(0);
    } finally {
      end();
      await small.stop();
    }
  });

  test('one that evicts nothing refuses draws as an outage, answers reads, and recovers', async () => {
    const small = await startRedis();
    const { client, end } = await connectClient('node-redis', small.port);
    try {
      const store = new RedisStore({ client });
      await takeOne(store, draw('a', 5));
      await small.command('CONFIG', 'SET', 'maxmemory', '1');
      expect(await failureOf(() => takeOne(store, draw('a', 1, 5)))).toMatchObject({
        code: 'store-unavailable',
        message: expect.stringContaining('full'),
      });
      expect(await failureOf(() => store.takeAll([draw('a', 1)]))).toMatchObject({ code: 'store-unavailable' });
      expect(await store.read(['a'])).toEqual([5]);
      await small.command('CONFIG', 'SET', 'maxmemory', '0');
      expect(await takeOne(store, draw('a', 1, 5))).toEqual({ granted: 1, total: 6 });
    } finally {
      end();
      await small.stop();
    }
  });
});

describe('what the server can', () => {
  test('a server that has INCREX is found by trying, used, and left for the script when another one answers', async () => {
    const front = await startIncrexFront(server);
    const { client, end } = await connectClient('ioredis', front.port);
    try {
      const store = new RedisStore({ client });
      expect(store.profile.mechanism).toBe('script');
      expect((await store.probe()).mechanism).toBe('INCREX');
      expect(await server.command('DBSIZE')).toBe(0);
      const probes = front.served;
      expect(await takeOne(store, draw('a', 7))).toEqual({ granted: 7, total: 7 });
      expect(await takeOne(store, { ...draw('a', 9), unit: 1, limit: 10 })).toEqual({ granted: 3, total: 10 });
      expect(front.served).toBe(probes + 2);
      const passed = deadlineAt(Date.now() - 120_000, Date.now() - 180_000);
      expect(await store.take([{ ...draw('late', 1), deadline: passed }])).toMatchObject([
        { code: 'invalid-deadline' },
      ]);
      await server.command('DEL', 'a');
      expect(await takeOne(store, draw('a', 2, 10))).toEqual({ granted: 2, total: 2, vanished: true });
      expect(await deadlineOf(server, 'a')).toBe(deadline);
      front.forget();
      expect(await store.take([draw('a', 1), draw('b', 1)])).toEqual([
        { granted: 1, total: 3 },
        { granted: 1, total: 1 },
      ]);
      expect(store.profile.mechanism).toBe('script');
    } finally {
      end();
      await front.close();
    }
  });

  test('a user who may not run scripts is told when the store is probed', async () => {
    await server.command('ACL', 'SETUSER', 'plain', 'on', '>secret', '~*', '+@all', '-@scripting');
    const client = createClient({ url: server.url, username: 'plain', password: 'secret' });
    await client.connect();
    expect(await failureOf(() => new RedisStore({ client }).probe())).toMatchObject({ code: 'store-refused' });
    client.destroy();
  });
});

describe('settings of the application', () => {
  test('a key prefix and numbers as texts (ioredis) change nothing', async () => {
    const client = new Redis({ port: server.port, host: '127.0.0.1', keyPrefix: 'app:', stringNumbers: true });
    const store = new RedisStore({ client });
    expect(await takeOne(store, draw('a', 3))).toEqual({ granted: 3, total: 3 });
    expect(await store.read(['a'])).toEqual([3]);
    expect(await server.command('KEYS', '*')).toEqual(['app:a']);
    expect(await store.time()).toBeGreaterThan(1_600_000_000_000);
    client.disconnect();
  });

  test.each([2, 3] as const)('type mappings and RESP%s (node-redis) change nothing', async (RESP) => {
    const client = createClient({
      url: server.url,
      RESP,
      commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String } },
    });
    await client.connect();
    const store = new RedisStore({ client });
    expect(await takeOne(store, draw('a', 3))).toEqual({ granted: 3, total: 3 });
    await store.swap('value', undefined, 'ä', deadline);
    expect(await store.get('value')).toBe('ä');
    expect(await store.swap('value', 'x', 'y', deadline)).toEqual({ swapped: false, value: 'ä' });
    expect((await store.health()).entries).toBe(2);
    client.destroy();
  });
});
