import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startFaultProxy } from '@weir/testkit/network';
import { startS3Pair, TestFleet, until, type S3Pair } from './fleet.ts';

let s3: S3Pair;
let fleet: TestFleet;

beforeAll(async () => {
  s3 = await startS3Pair();
});

afterAll(async () => {
  await s3.stop();
});

beforeEach(async () => {
  fleet = await TestFleet.start(s3, { windowSeconds: 1, initialSplit: 4 });
  await fleet.setLimit(100);
});

afterEach(async () => {
  await fleet.stop();
});

test('an agent cut off from the console loses its lease, drops the shard when it hears so, and takes new work', async () => {
  const proxy = await startFaultProxy({ port: Number(new URL(fleet.console.url).port) });
  fleet.atTheEnd(() => proxy.close());
  const jobId = await fleet.queueJob(600);
  await fleet.startAgent('cut-off', { consoleUrls: [`http://127.0.0.1:${proxy.port}`] });
  await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 50);
  proxy.setMode('stall');
  await fleet.startAgent('heir');
  await fleet.jobThat(jobId, ({ agents }) => agents.some(({ name }) => name === 'heir'));
  const before = fleet.log.length;
  proxy.setMode('pass');
  await until('the news of the lost lease', 30_000, () => {
    const news = fleet.log.slice(before).some(({ msg }) => msg === 'the lease was lost: another agent has the shard');
    return news ? true : null;
  });
  const job = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
  expect(job.counters).toMatchObject({ objectsFailed: 0 });
  const { source, target } = await fleet.sides();
  expect(target).toEqual(source);
});
