import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMemcached, type MemcachedServer } from '@weir/testkit/memcached';
import { startTakers, type Taker } from '../support/fleet.ts';
import type { TakerOrder, TakerReport } from '../support/taker.ts';

let server: MemcachedServer;
let quotas = 0;

beforeAll(async () => {
  server = await startMemcached({ memoryMegabytes: 128 });
});

afterAll(async () => {
  await server.stop();
});

function orderOf(order: Partial<TakerOrder>): TakerOrder {
  const base = { limit: 100_000, takes: 25_000, subjects: 1, concurrency: 64, costs: [1] };
  return { ...base, server: server.address, quotaId: `processes-${quotas}`, ...order };
}

async function run(takers: readonly Taker[]): Promise<TakerReport[]> {
  for (const taker of takers) taker.start();
  const reports = await Promise.all(takers.map((taker) => taker.report));
  return reports.filter((report) => report !== undefined);
}

const sum = (reports: readonly TakerReport[], field: keyof TakerReport): number =>
  reports.reduce((total, report) => total + report[field], 0);

async function counted(): Promise<number[]> {
  const keys = (await server.entries())
    .map(({ key }) => key)
    .filter((key) => key.startsWith(`wq1:processes-${quotas}:`));
  const replies = await Promise.all(keys.map((key) => server.exchange(`mg ${key} v\r\n`)));
  return replies.map((reply) => Number(reply.split('\r\n')[1]));
}

async function undated(): Promise<string[]> {
  return (await server.entries()).filter((entry) => entry.expiresAtSeconds === -1).map(({ key }) => key);
}

test('8 processes with 25,000 takes each on a limit of 100,000 are admitted exactly 100,000 times', async () => {
  quotas += 1;
  const takers = await startTakers(Array.from({ length: 8 }, () => orderOf({})));
  const reports = await run(takers);
  expect(reports).toHaveLength(8);
  expect(sum(reports, 'withoutStore')).toBe(0);
  expect(sum(reports, 'admitted')).toBe(100_000);
  expect(sum(reports, 'refused')).toBe(100_000);
  expect(await counted()).toEqual([100_000]);
  expect(await undated()).toEqual([]);
});

test('with mixed costs what was admitted is what was counted, never more than the limit, and less than the dearest cost is left', async () => {
  quotas += 1;
  const order = orderOf({ limit: 50_000, takes: 5_000, costs: [1, 3, 7, 2, 11] });
  const reports = await run(await startTakers(Array.from({ length: 6 }, () => order)));
  expect(sum(reports, 'withoutStore')).toBe(0);
  const charged = sum(reports, 'charged');
  expect(await counted()).toEqual([charged]);
  expect(charged).toBeLessThanOrEqual(50_000);
  expect(charged).toBeGreaterThan(50_000 - 11);
});

test('processes killed in the middle leave no undated counter, nothing admitted that is not counted, nothing over the limit', async () => {
  quotas += 1;
  const order = orderOf({ limit: 3_000, takes: 200_000, subjects: 50 });
  const takers = await startTakers(Array.from({ length: 8 }, () => order));
  for (const taker of takers) taker.start();
  for (const taker of takers.slice(0, 5)) {
    await wait(120);
    taker.kill();
  }
  const reports = await Promise.all(takers.map((taker) => taker.report));
  const survivors = reports.filter((report) => report !== undefined);
  expect(survivors).toHaveLength(3);
  expect(await undated()).toEqual([]);
  const totals = await counted();
  expect(totals).toHaveLength(50);
  // The survivors' takes after the last kill fill every counter. What one that died had overshot and not yet taken back may
  // stay counted: at most the takes that it had under way.
  for (const total of totals) {
    expect(total).toBeGreaterThanOrEqual(3_000);
    expect(total).toBeLessThanOrEqual(3_000 + 5 * order.concurrency);
  }
  expect(sum(survivors, 'admitted')).toBeLessThanOrEqual(150_000);
});

test('two periods after the load stopped, no counter is left', async () => {
  quotas += 1;
  const seconds = 2;
  const order = orderOf({ limit: 1_000_000, takes: 20_000, subjects: 500, seconds });
  const reports = await run(await startTakers([order, order]));
  expect(sum(reports, 'withoutStore')).toBe(0);
  expect(await undated()).toEqual([]);
  await wait(2 * seconds * 1_000 + 1_500);
  expect(await counted().then((totals) => totals.filter(Number.isFinite))).toEqual([]);
});
