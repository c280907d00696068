import { deadlineAt, QuotaError } from '@weir/quota';
import type { Draw, Store } from '@weir/quota';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFaultProxy } from '@weir/testkit/network';
import type { FaultProxy } from '@weir/testkit/network';
import { startRedis } from '@weir/testkit/redis';
import type { RedisServer } from '@weir/testkit/redis';
import { RedisStore } from '../../src/index.ts';
import { clientNames, connectClient, deadlineOf, undatedOn } from '../support/harness.ts';
import type { Connected } from '../support/harness.ts';
import { eventually, failureOf } from '../support/waiting.ts';
import { takeOne } from '../support/take-one.ts';

let server: RedisServer;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startRedis();
  proxy = await startFaultProxy(server);
});

beforeEach(async () => {
  await server.command('FLUSHALL');
});

afterAll(async () => {
  await proxy.close();
  await server.stop();
});

const deadline = deadlineAt(Date.now() + 3_600_000, Date.now());

function draw(key: string, amount: number, seen?: number): Draw {
  const one = { key, amount, unit: amount, limit: 1_000_000, deadline };
  return seen === undefined ? one : { ...one, seen };
}

describe.each(clientNames)('over %s', (name) => {
  const using = async (
    fastPath: boolean,
    run: (store: Store, connected: Connected) => Promise<void>,
  ): Promise<void> => {
    const connected = await connectClient(name, proxy.port);
    try {
      await run(new RedisStore({ client: connected.client, fastPath }), connected);
    } finally {
      connected.end();
      proxy.setMode('pass');
    }
  };

  test('what was cut off after the server did it is never sent again: counted once, returned once', async () => {
    for (const fastPath of [false, true]) {
      await using(fastPath, async (store) => {
        const key = `cut-${fastPath}`;
        await takeOne(store, draw(key, 100));
        // The server must know the scripts: else the reply that is cut off says only that it does not.
        await store.giveBack([draw('warm', 1)]);
        await takeOne(store, draw('warm', 1, 1));
        proxy.cutReplies(1);
        expect(await failureOf(() => takeOne(store, draw(key, 1, 100)))).toMatchObject({ code: 'store-unavailable' });
        await eventually(() => takeOne(store, draw(key, 10, 101)));
        expect(await store.read([key])).toEqual([111]);
        proxy.cutReplies(1);
        expect(await failureOf(() => store.giveBack([draw(key, 5)]))).toMatchObject({ code: 'store-unavailable' });
        await eventually(() => store.read([key]));
        expect(await store.read([key])).toEqual([106]);
      });
    }
  });

  test('a batch that is cut off fails as a whole and at once, not when the connection is back', async () => {
    await using(false, async (store) => {
      const keys = Array.from({ length: 600 }, (_, index) => `batch-${index}`);
      proxy.cutReplies(1);
      const failure = await failureOf(() => store.take(keys.map((key) => draw(key, 1))));
      expect(failure).toBeInstanceOf(QuotaError);
      expect(failure).toMatchObject({ code: 'store-unavailable' });
    });
  });

  test('a fast draw whose reply was lost and whose counter had vanished is dated before the next draw', async () => {
    await using(true, async (store) => {
      await takeOne(store, draw('lost', 100));
      await server.command('FLUSHALL');
      proxy.cutReplies(1);
      await failureOf(() => takeOne(store, draw('lost', 1, 100)));
      // The increment created it without a deadline; nobody could know.
      expect(await deadlineOf(server, 'lost')).toBe('undated');
      await eventually(() => takeOne(store, draw('other', 1)));
      expect(await deadlineOf(server, 'lost')).toBe(deadline);
      expect(await undatedOn(server)).toBe(0);
    });
  });

  test('while the server is away calls fail at once, and work again when it is back', async () => {
    await using(false, async (store) => {
      await takeOne(store, draw('away', 1));
      await server.kill();
      await eventually(async () => {
        if ((await failureOf(() => store.read(['away']))) === undefined) throw new Error('still answering');
      });
      const startMs = performance.now();
      for (let call = 0; call < 20; call += 1) {
        expect(await failureOf(() => takeOne(store, draw('away', 1)))).toMatchObject({ code: 'store-unavailable' });
      }
      expect(performance.now() - startMs).toBeLessThan(500);
      await server.restart();
      expect(await eventually(() => takeOne(store, draw('away', 1, 1)))).toMatchObject({ total: 1, vanished: true });
    });
  });

  test('on a client that was closed every call fails at once', async () => {
    await using(false, async (store, { end }) => {
      await takeOne(store, draw('closed', 1));
      end();
      const calls: (() => Promise<unknown>)[] = [
        () => store.take([draw('closed', 1)]),
        () => store.takeAll([draw('closed', 1)]),
        () => store.giveBack([draw('closed', 1)]),
        () => store.read(['closed']),
        () => store.get('closed'),
        () => store.swap('closed', undefined, 'a', deadline),
        () => store.remove(['closed']),
        () => store.time(),
        () => store.health(),
        () => store.probe(),
      ];
      for (const call of calls) expect(await failureOf(call)).toMatchObject({ code: 'store-unavailable' });
    });
  });

  test('a closed store says so and leaves the client open', async () => {
    await using(false, async (store, { client }) => {
      await store.close();
      expect(await failureOf(() => store.read(['a']))).toMatchObject({ code: 'closed' });
      expect(await takeOne(new RedisStore({ client }), draw('still-open', 1))).toMatchObject({ total: 1 });
    });
  });
});

test('a client that is still connecting for the first time is waited for', async () => {
  const ioredis = new Redis({ port: server.port, host: '127.0.0.1', lazyConnect: true });
  expect(await takeOne(new RedisStore({ client: ioredis }), draw('lazy', 1))).toMatchObject({ total: 1 });
  ioredis.disconnect();
  const nodeRedis = createClient({ url: server.url });
  const connecting = nodeRedis.connect();
  expect(await takeOne(new RedisStore({ client: nodeRedis }), draw('lazy', 1))).toMatchObject({ total: 2 });
  await connecting;
  nodeRedis.destroy();
});

test('a node-redis client that was never connected says what to do', async () => {
  const store = new RedisStore({ client: createClient({ url: server.url }) });
  expect(await failureOf(() => store.read(['a']))).toMatchObject({ message: expect.stringContaining('connect()') });
});
