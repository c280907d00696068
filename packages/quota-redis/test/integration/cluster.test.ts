import { deadlineAt } from '@weir/quota';
import type { Draw } from '@weir/quota';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startClusterRedis } from '@weir/testkit/redis';
import type { ClusterRedis } from '@weir/testkit/redis';
import { RedisStore } from '../../src/index.ts';
import { clientNames, connectCluster, undatedOn } from '../support/harness.ts';
import type { Connected } from '../support/harness.ts';
import { eventually, failureOf } from '../support/waiting.ts';
import { takeOne } from '../support/take-one.ts';

let cluster: ClusterRedis;

beforeAll(async () => {
  cluster = await startClusterRedis();
});

afterAll(() => cluster.stop());

const deadline = deadlineAt(Date.now() + 3_600_000, Date.now());

function draw(key: string, amount: number): Draw {
  return { key, amount, unit: amount, limit: 1_000_000, deadline };
}

describe.each(clientNames)('over %s', (name) => {
  let connected: Connected;

  beforeAll(async () => {
    connected = await connectCluster(name, cluster);
  });

  afterAll(() => connected.end());

  test('lanes are the nodes, and keys of one subject share a lane', async () => {
    const store = new RedisStore({ client: connected.client });
    await takeOne(store, draw('warm', 1));
    const lanes = new Set(Array.from({ length: 200 }, (_, index) => store.laneOf?.(`{tenant-${index}}`)));
    expect(lanes).toEqual(new Set(cluster.nodes.map(({ port }) => `127.0.0.1:${port}`)));
    expect(store.laneOf?.('{t}a')).toBe(store.laneOf?.('{t}b'));
  });

  test('a batch over all slots is counted, a group of one subject is charged in one step with its marker', async () => {
    const store = new RedisStore({ client: connected.client });
    const drawn = await store.take(Array.from({ length: 300 }, (_, index) => draw(`${name}{${index}}`, index + 1)));
    expect(drawn).toEqual(Array.from({ length: 300 }, (_, index) => ({ granted: index + 1, total: index + 1 })));
    const marker = { key: `${name}{s}marker`, note: 'n', deadline };
    const group = [draw(`${name}{s}a`, 2), draw(`${name}{s}b`, 3)];
    expect(await store.takeAll(group, marker)).toMatchObject({ outcome: 'charged' });
    expect(await store.takeAll(group, marker)).toMatchObject({ outcome: 'replayed', note: 'n' });
    const apart = [draw(`${name}x`, 2), draw(`${name}y`, 3), draw(`${name}z`, 3)];
    // A marker means the same to a group that is charged step by step, and the other way round.
    expect(await store.takeAll(apart, marker)).toMatchObject({ outcome: 'replayed', note: 'n' });
    const other = { ...marker, key: `${name}{s}other` };
    expect(await store.takeAll([...apart, { ...draw(`${name}w`, 9), limit: 8 }], other)).toMatchObject({
      outcome: 'refused',
      refused: [3],
    });
    expect(await store.takeAll(group, other)).toMatchObject({ outcome: 'charged' });
    expect(await store.takeAll(apart, other)).toMatchObject({ outcome: 'replayed', note: 'n' });
    expect(await store.takeAll(apart)).toMatchObject({ outcome: 'charged', draws: [{ total: 2 }, { total: 3 }, {}] });
    await store.remove([...drawn.keys()].map((index) => `${name}{${index}}`));
    expect(await store.read([`${name}{0}`, `${name}{299}`, `${name}x`])).toEqual([undefined, undefined, 2]);
  });

  test('health adds the nodes up', async () => {
    const store = new RedisStore({ client: connected.client });
    const counts = await Promise.all(cluster.nodes.map((node) => node.command('DBSIZE')));
    const health = await store.health();
    expect(health.entries).toBe(counts.reduce<number>((sum, count) => sum + Number(count), 0));
    expect(health.undated).toBe(0);
    expect(health.instance?.split(',')).toHaveLength(3);
  });

  test('a node that dies fails the draws of its own slots, and they work again when it is back', async () => {
    const store = new RedisStore({ client: connected.client });
    const keys = Array.from({ length: 60 }, (_, index) => `${name}-dead-{${index}}`);
    await store.take(keys.map((key) => draw(key, 1)));
    const [victim] = cluster.nodes;
    if (victim === undefined) throw new Error('no node');
    await Promise.all(
      cluster.nodes.map((node) => node.command('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')),
    );
    const lost = new Set<string>();
    for (const key of keys) if ((await cluster.nodeOf(key)) === victim) lost.add(key);
    await victim.kill();
    await eventually(async () => {
      const drawn = await store.take(keys.map((key) => draw(key, 1)));
      const failed = keys.filter((_, index) => drawn[index] instanceof Error);
      if (failed.length < lost.size) throw new Error('the dead node still answers');
      expect(failed.every((key) => lost.has(key))).toBe(true);
    });
    await victim.restart();
    const drawn = await eventually(async () => {
      const again = await store.take(keys.map((key) => draw(key, 1)));
      const failure = again.find((result) => result instanceof Error);
      if (failure !== undefined) throw failure;
      return again;
    });
    expect(drawn).toHaveLength(keys.length);
    for (const node of cluster.nodes) expect(await undatedOn(node)).toBe(0);
  });

  test('on a client that was closed every call fails at once', async () => {
    const closing = await connectCluster(name, cluster);
    const store = new RedisStore({ client: closing.client });
    await takeOne(store, draw(`${name}-closed`, 1));
    closing.end();
    for (const call of [() => takeOne(store, draw(`${name}-closed`, 1)), () => store.health(), () => store.time()]) {
      expect(await failureOf(call)).toMatchObject({ code: 'store-unavailable' });
    }
  });
});
