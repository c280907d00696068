import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '@weir/testkit/redis';
import type { RedisServer } from '@weir/testkit/redis';
import { startTakers } from '../support/fleet.ts';
import { undatedOn } from '../support/harness.ts';
import type { TakerOrder } from '../support/taker.ts';
import { eventually } from '../support/waiting.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});

beforeEach(async () => {
  await server.command('FLUSHALL');
});

afterAll(() => server.stop());

function order(changes: Partial<TakerOrder>): TakerOrder {
  return {
    port: server.port,
    client: 'node-redis',
    fastPath: false,
    takes: 25_000,
    concurrency: 64,
    subjects: 1,
    limit: 100_000,
    period: 'month',
    ...changes,
  };
}

async function totals(): Promise<number[]> {
  const keys = await server.command('KEYS', '*');
  const values = await Promise.all((Array.isArray(keys) ? keys : []).map((key) => server.command('GET', String(key))));
  return values.map(Number);
}

describe.each([
  { client: 'node-redis', fastPath: false },
  { client: 'ioredis', fastPath: true },
] as const)('over $client, fast path $fastPath', ({ client, fastPath }) => {
  test('8 processes × 25,000 takes on one subject with limit 100,000 admit exactly 100,000', async () => {
    const takers = await startTakers(Array.from({ length: 8 }, () => order({ client, fastPath })));
    for (const taker of takers) taker.start();
    const reports = await Promise.all(takers.map((taker) => taker.done));
    const sum = { admitted: 0, refused: 0, withoutStore: 0 };
    for (const report of reports) {
      sum.admitted += report?.admitted ?? Number.NaN;
      sum.refused += report?.refused ?? Number.NaN;
      sum.withoutStore += report?.withoutStore ?? Number.NaN;
    }
    expect(sum).toEqual({ admitted: 100_000, refused: 100_000, withoutStore: 0 });
    expect(await totals()).toEqual([100_000]);
    expect(await undatedOn(server)).toBe(0);
  });

  test('processes killed in the middle leave nothing undated and nothing over a limit', async () => {
    const limit = 2_000;
    const orders = Array.from({ length: 4 }, () =>
      order({ client, fastPath, takes: 1_000_000, concurrency: 200, subjects: 50, limit }),
    );
    const takers = await startTakers(orders);
    for (const taker of takers) taker.start();
    for (const taker of takers) {
      await wait(150);
      await taker.kill();
      expect(await undatedOn(server)).toBe(0);
    }
    const left = await totals();
    expect(left.length).toBeGreaterThan(0);
    expect(Math.max(...left)).toBeLessThanOrEqual(limit);
  });
});

test('a server killed under load comes back from its append-only file without an undated counter', async () => {
  const durable = await startRedis({ config: { appendonly: 'yes', appendfsync: 'everysec' } });
  try {
    const limit = 1_000_000;
    const takers = await startTakers([order({ port: durable.port, takes: 10_000_000, subjects: 5_000, limit })]);
    for (const taker of takers) taker.start();
    for (let round = 0; round < 3; round += 1) {
      await wait(1_300);
      await durable.kill();
      await durable.restart();
      expect(Number(await durable.command('DBSIZE'))).toBeGreaterThan(0);
      expect(await undatedOn(durable)).toBe(0);
    }
    await Promise.all(takers.map((taker) => taker.kill()));
  } finally {
    await durable.stop();
  }
});

test('two periods after the load stops no counter is left', async () => {
  const takers = await startTakers([order({ takes: 20_000, subjects: 500, period: 'second' })]);
  for (const taker of takers) taker.start();
  await eventually(async () => {
    if (Number(await server.command('DBSIZE')) < 500) throw new Error('no load yet');
  });
  await Promise.all(takers.map((taker) => taker.done));
  expect(await undatedOn(server)).toBe(0);
  // Two periods of a second, the second one with its margin of a second.
  await wait(3_000);
  await eventually(async () => {
    const left = Number(await server.command('DBSIZE'));
    if (left > 0) throw new Error(`${left} left`);
  });
  expect(await server.command('DBSIZE')).toBe(0);
});
