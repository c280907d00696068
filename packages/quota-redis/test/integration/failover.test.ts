import { deadlineAt } from '@weir/quota';
import type { Draw } from '@weir/quota';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { startFaultProxy } from '@weir/testkit/network';
import { startReplicatedRedis, startSentinelRedis } from '@weir/testkit/redis';
import type { ReplicatedRedis } from '@weir/testkit/redis';
import { RedisStore } from '../../src/index.ts';
import { clientNames, connectClient, connectSentinel, undatedOn } from '../support/harness.ts';
import { eventually, failureOf } from '../support/waiting.ts';
import { takeOne } from '../support/take-one.ts';

const deadline = deadlineAt(Date.now() + 3_600_000, Date.now());

function draw(key: string, amount: number): Draw {
  return { key, amount, unit: amount, limit: 1_000, deadline };
}

/** The replica has the total too; replication is asynchronous. */
async function replicated(pair: ReplicatedRedis, key: string, total: number): Promise<void> {
  await eventually(async () => {
    if ((await pair.replica.command('GET', key)) !== String(total)) throw new Error('not yet replicated');
  });
}

describe.each(clientNames)('over %s', (name) => {
  test('READONLY is an outage with a name, and a new connection finds the new primary behind the address', async () => {
    const pair = await startReplicatedRedis();
    const proxy = await startFaultProxy(pair.primary);
    const { client, end } = await connectClient(name, proxy.port);
    try {
      const store = new RedisStore({ client });
      await takeOne(store, draw('a', 1));
      await replicated(pair, 'a', 1);
      await pair.swapRoles();
      proxy.retarget(pair.replica.port);
      // The old connection still leads to the former primary.
      const failure = await failureOf(() => takeOne(store, draw('a', 1)));
      expect(failure).toMatchObject({
        code: 'store-unavailable',
        message: expect.stringContaining('read-only replica'),
      });
      const drawn = await eventually(() => takeOne(store, draw('a', 1)));
      expect(drawn).toMatchObject({ granted: 1, total: 2 });
      expect(proxy.accepted).toBe(2);
      expect(await undatedOn(pair.replica)).toBe(0);
    } finally {
      end();
      await proxy.close();
      await pair.stop();
    }
  });

  test('through Sentinel, draws count on on the new primary after a failover', async () => {
    const group = await startSentinelRedis();
    const { client, end } = await connectSentinel(name, group);
    try {
      const store = new RedisStore({ client });
      expect(await store.probe()).toMatchObject({ mechanism: 'script', atomicGroups: true });
      const before = await store.health();
      await takeOne(store, draw('a', 3));
      await replicated(group, 'a', 3);
      await group.failover();
      await eventually(async () => {
        if ((await store.health()).instance === before.instance) throw new Error('still the former primary');
      });
      const after = await eventually(() => takeOne(store, draw('a', 4)));
      expect(after.total).toBe(7);
      expect(await undatedOn(group.replica)).toBe(0);
    } finally {
      end();
      await group.stop();
    }
  });

  test('through Sentinel too, what was cut off after the server did it is never sent again', async () => {
    const group = await startSentinelRedis();
    const proxy = await startFaultProxy(group.primary);
    const { client, end } = await connectSentinel(name, group, proxy.port);
    try {
      const store = new RedisStore({ client });
      await takeOne(store, draw('a', 100));
      expect(proxy.accepted).toBeGreaterThan(0);
      proxy.cutReplies(1);
      expect(await failureOf(() => takeOne(store, draw('a', 1)))).toMatchObject({ code: 'store-unavailable' });
      await eventually(() => takeOne(store, draw('a', 10)));
      expect(await store.read(['a'])).toEqual([111]);
    } finally {
      end();
      await proxy.close();
      await group.stop();
    }
  });
});

function untilEnded(client: Redis): Promise<void> {
  return new Promise((resolve) => void client.once('end', () => resolve()));
}

/** Hangs up as the detector does, while the client asks the Sentinels where the primary is. */
async function hangUpWhileConnecting(client: Redis): Promise<void> {
  const ended = untilEnded(client);
  client.once('connecting', () => {
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- what the detector calls is no public member
    (client as unknown as { connector: { disconnect(): void } }).connector.disconnect();
  });
  client.disconnect(true);
  await ended;
}

test('an ioredis client whose failover is detected while it connects is made to connect again', async () => {
  const group = await startSentinelRedis();
  const { client, end } = await connectSentinel('ioredis', group);
  try {
    if (!(client instanceof Redis)) throw new Error('no client of ioredis');
    await hangUpWhileConnecting(client);
    await failureOf(() => client.ping());
    expect(client.status).toBe('end');
    await client.connect();
    const store = new RedisStore({ client });
    await takeOne(store, draw('a', 1));
    await hangUpWhileConnecting(client);
    expect(await eventually(() => takeOne(store, draw('a', 1)))).toMatchObject({ total: 2 });
    const ended = untilEnded(client);
    end();
    await ended;
    expect(client.status).toBe('end');
    expect(await failureOf(() => takeOne(store, draw('a', 1)))).toMatchObject({ code: 'store-unavailable' });
  } finally {
    end();
    await group.stop();
  }
});
