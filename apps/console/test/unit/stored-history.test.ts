import { HISTORY_RANGES } from '@weir/protocol';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Storage } from '../../src/ports/storage.ts';
import type { Retention, Sample } from '../../src/ports/history-store.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';

const T = 1_800_000_000_000;
const BUCKET_MS = 120_000;

let storage: Storage;
beforeEach(async () => {
  storage = await sqliteStorage(':memory:', 'this-thread');
});
afterEach(() => storage.close());

const sample = (atMs: number, tps: readonly number[], limitTps: number | null = 1_000): Sample => ({
  atMs,
  limitTps,
  setLimitTps: limitTps,
  totalTps: tps.reduce((sum, one) => sum + one, 0),
  agents: tps
    .map((actualTps, n) => ({ agentId: `a${n}`, actualTps, allocatedTps: 0, mbps: 0 }))
    .sort((a, b) => b.actualTps - a.actualTps),
});

test('a bucket has the mean and the peak of its samples, the highest limit, and the means of its agents', async () => {
  await storage.history.addSample(sample(T, [10, 30], 500), [BUCKET_MS]);
  await storage.history.addSample(sample(T + 30_000, [50], null), [BUCKET_MS]);
  await storage.history.addSample(sample(T + 60_000, [0, 0], 400), [BUCKET_MS]);
  expect(await storage.history.bucketsSince(BUCKET_MS, T)).toEqual([
    {
      atMs: T,
      limitTps: 500,
      setLimitTps: 500,
      totalTps: 30,
      peakTps: 50,
      agents: [
        { agentId: 'a0', actualTps: 20 },
        { agentId: 'a1', actualTps: 10 },
      ],
    },
  ]);
});

test('a sample that comes twice is added up once', async () => {
  for (let n = 0; n < 2; n += 1) await storage.history.addSample(sample(T, [10]), [BUCKET_MS]);
  expect(await storage.history.bucketsSince(BUCKET_MS, 0)).toMatchObject([{ totalTps: 10 }]);
});

test('buckets of every length lose no operation: their totals are the means of what was sampled', async () => {
  const column = fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(column, { minLength: 1, maxLength: 40 }), async (samples) => {
      const own = await sqliteStorage(':memory:', 'this-thread');
      const lengths = Object.values(HISTORY_RANGES).map(({ bucketMs }) => bucketMs);
      for (const [n, tps] of samples.entries()) await own.history.addSample(sample(T + n * 30_000, tps), lengths);
      for (const bucketMs of lengths) {
        const buckets = await own.history.bucketsSince(bucketMs, 0);
        for (const bucket of buckets) {
          const within = samples.filter((_, n) => Math.floor((T + n * 30_000) / bucketMs) * bucketMs === bucket.atMs);
          const sums = within.map((tps) => tps.reduce((sum, one) => sum + one, 0));
          expect(bucket.totalTps).toBeCloseTo(sums.reduce((sum, one) => sum + one, 0) / within.length, 6);
          expect(bucket.peakTps).toBe(Math.max(...sums));
          const listed = bucket.agents.reduce((sum, agent) => sum + agent.actualTps, 0);
          expect(listed).toBeCloseTo(bucket.totalTps, 6);
        }
      }
      await own.close();
    }),
    { numRuns: 25 },
  );
});

test('a bucket that is complete keeps its 50 busiest agents, whoever was busy in single samples', async () => {
  const busyFrom = (first: number): Sample => ({
    ...sample(T, []),
    totalTps: 60_000,
    agents: Array.from({ length: 60 }, (_, n) => ({
      agentId: `a${first + n}`,
      actualTps: 1_000 - n,
      allocatedTps: 0,
      mbps: 0,
    })),
  });
  for (let n = 0; n < 4; n += 1) {
    await storage.history.addSample({ ...busyFrom(n * 40), atMs: T + n * 30_000 }, [BUCKET_MS]);
  }
  expect((await storage.history.bucketsSince(BUCKET_MS, T))[0]?.agents.length).toBeGreaterThan(50);
  await storage.history.addSample(sample(T + BUCKET_MS, [1]), [BUCKET_MS]);
  const [full] = await storage.history.bucketsSince(BUCKET_MS, T);
  expect(full?.agents).toHaveLength(50);
  expect(full?.totalTps).toBe(60_000);
});

const KEEP_ALL: Retention = {
  samplesSinceMs: 0,
  bucketsSinceMs: [],
  windowsSinceMs: 0,
  eventsSinceMs: 0,
};

const record = (n: number) => ({
  agentId: `a${n}`,
  epoch: 'e',
  windowNumber: n,
  endedAtMs: T + n,
  windowMs: 30_000,
  allocatedTps: 1,
  creditBudget: 30,
  chargedOps: 30,
  actualTps: 1,
  peakSecondTps: 1,
});

test('finished windows and events stay within their bounds, the newest stay', async () => {
  await storage.history.addWindows(Array.from({ length: 1_200 }, (_, n) => record(n)));
  await storage.history.addEvents(
    Array.from({ length: 40 }, (_, n) => ({ kind: 'agents-left' as const, atMs: T + n, agents: 1, names: ['a'] })),
  );
  await storage.history.prune(KEEP_ALL, 5_000);
  expect(await storage.history.windows(5_000)).toHaveLength(1_200);
  expect(await storage.history.newestSince('windows', 1_201)).toBe(0);
  const windowsSinceMs = await storage.history.newestSince('windows', 100);
  const eventsSinceMs = await storage.history.newestSince('events', 10);
  await storage.history.prune({ ...KEEP_ALL, windowsSinceMs, eventsSinceMs }, 5_000);
  const windows = await storage.history.windows(5_000);
  expect(windows.map(({ windowNumber }) => windowNumber)).toEqual(Array.from({ length: 100 }, (_, n) => 1_199 - n));
  expect((await storage.history.eventsSince(0)).map(({ atMs }) => atMs)).toEqual(
    Array.from({ length: 10 }, (_, n) => T + 30 + n),
  );
});

test('a batch deletes no more than it may, so that heartbeats are answered in between', async () => {
  await storage.history.addWindows(Array.from({ length: 300 }, (_, n) => record(n)));
  expect(await storage.history.prune({ ...KEEP_ALL, windowsSinceMs: T + 1_000 }, 100)).toBe(100);
  expect(await storage.history.windows(5_000)).toHaveLength(200);
});

test('buckets of each length go when their own range is over', async () => {
  await storage.history.addSample(sample(T, [1]), [120_000, 600_000]);
  await storage.history.addSample(sample(T + 3_600_000, [1]), [120_000, 600_000]);
  await storage.history.prune({ ...KEEP_ALL, bucketsSinceMs: [{ bucketMs: 120_000, sinceMs: T + 600_000 }] }, 100);
  expect(await storage.history.bucketsSince(120_000, 0)).toHaveLength(1);
  expect(await storage.history.bucketsSince(600_000, 0)).toHaveLength(2);
});
