import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startS3Pair, TestFleet, until, type S3Pair } from './fleet.ts';

const WINDOW_SECONDS = 1;
const AWAY_MS = 8_000;

let s3: S3Pair;
let postgres: PostgresServer;
let fleet: TestFleet;

beforeEach(async () => {
  [s3, postgres] = await Promise.all([startS3Pair(), startPostgres()]);
  fleet = await TestFleet.start(s3, {
    windowSeconds: WINDOW_SECONDS,
    initialSplit: 4,
    storageUrl: await postgres.createDatabase('weir'),
  });
  const settings = { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: 100, overshootGuard: true };
  await fleet.admin.call('saveGovernorSettings', { body: settings });
});

afterEach(async () => {
  await fleet.stop();
  await Promise.all([postgres.stop(), s3.stop()]);
});

test('agents copy on while PostgreSQL is away, and what was measured in the meantime is written down afterwards', async () => {
  const jobId = await fleet.queueJob(1_500);
  for (const name of ['a', 'b']) await fleet.startAgent(name, { slots: 1 });
  await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 50);
  await postgres.kill();
  const goneAtMs = Date.now();
  const before = fleet.log.length;
  await wait(AWAY_MS);
  const backAtMs = Date.now();
  const granted = fleet.log.slice(before).filter(({ msg }) => msg === 'credits granted');
  expect(granted.length).toBeGreaterThanOrEqual(2);
  await postgres.restart();
  await until('the database, found again', 30_000, () => fleet.job(jobId).catch(() => null));

  const job = await fleet.jobThat(jobId, ({ state }) => state === 'completed', 90_000);
  expect(job.counters.objectsFailed).toBe(0);
  const { source, target } = await fleet.sides();
  expect(target).toEqual(source);
  const windows = await until('windows from the time without a database', 30_000, async () => {
    const all = await fleet.windows().catch(() => []);
    const meanwhile = all.filter(({ endedAtMs }) => endedAtMs > goneAtMs && endedAtMs < backAtMs);
    return meanwhile.length >= 2 ? all : null;
  });
  expect(windows.filter(({ chargedOps, creditBudget }) => chargedOps > creditBudget)).toEqual([]);
});
