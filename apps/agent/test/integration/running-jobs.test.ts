import { DEFAULT_JOB_OPTIONS } from '@weir/protocol';
import { callContext, createMultipartUpload, listMultipartUploads, S3Client } from '@weir/s3-copy';
import { startCountingProxy } from '@weir/testkit/s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startAgentProcess } from './agent-process.ts';
import { startS3Pair, TestFleet, until, type S3Pair } from './fleet.ts';

let s3: S3Pair;
let fleet: TestFleet;

beforeAll(async () => {
  s3 = await startS3Pair();
});
afterAll(() => s3.stop());
beforeEach(async () => {
  fleet = await TestFleet.start(s3, { windowSeconds: 1, initialSplit: 1 });
});
afterEach(() => fleet.stop());

test('a target that goes away shows as trouble of the job and of its agent, and the job goes on by itself', async () => {
  const proxy = await startCountingProxy(s3.target.url);
  fleet.atTheEnd(() => proxy.stop());
  await fleet.setLimit(100);
  const jobId = await fleet.queueJob(600, { targetUrl: proxy.url });
  await fleet.startAgent('witness', { concurrency: 8 });
  await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 20);
  proxy.inject({ type: 'reset', times: Number.MAX_SAFE_INTEGER });
  const job = await fleet.jobThat(jobId, ({ troubles }) => troubles.length > 0);
  expect(job).toMatchObject({ state: 'running', etaMs: null, troubles: [{ agentName: 'witness' }] });
  const { agents } = await fleet.admin.call('agents');
  expect(agents.find(({ name }) => name === 'witness')?.troubles).toHaveLength(1);
  proxy.heal();
  await fleet.jobThat(jobId, ({ troubles }) => troubles.length === 0);
  await fleet.setLimit(100, false);
  expect(await fleet.jobThat(jobId, ({ state }) => state === 'completed')).toMatchObject({
    counters: { objectsFailed: 0, objectsCopied: 600 },
  });
});

test('an agent that comes late gets the rest of a range that another one works on, and nothing is copied twice', async () => {
  const proxy = await startCountingProxy(s3.target.url);
  fleet.atTheEnd(() => proxy.stop());
  await fleet.setLimit(100);
  const jobId = await fleet.queueJob(2_000, { targetUrl: proxy.url });
  await fleet.startAgent('early', { concurrency: 4, slots: 1 });
  await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 50);
  await fleet.startAgent('late', { concurrency: 4, slots: 1 });
  const shared = await fleet.jobThat(jobId, ({ agents }) => agents.length === 2);
  expect(shared.shardsTotal).toBeGreaterThan(1);
  await fleet.setLimit(100, false);
  const done = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
  expect(done).toMatchObject({ objectsTotal: 2_000, counters: { objectsCopied: 2_000, objectsListed: 2_000 } });
  expect(proxy.counts()['PutObject']).toBe(2_000);
});

test('uploads that a killed agent left are removed when its job is cancelled, those of others stay', async () => {
  await fleet.setLimit(100);
  const jobId = await fleet.queueJob(2_000);
  const doomed = startAgentProcess(fleet.agentOptions('doomed', { concurrency: 4 }));
  await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 5);
  doomed.kill('SIGKILL');
  await doomed.exited;
  const client = new S3Client({ ...s3.target, credentials: s3.target });
  // What an agent leaves that dies in the middle of a large object, and what somebody else has under way.
  for (const key of ['k/1999', 'somebody/elses']) {
    await createMultipartUpload(client, { bucket: fleet.bucket, key, headers: [] }, callContext());
  }
  await fleet.admin.call('actOnJob', { params: { jobId, action: 'cancel' } });
  await fleet.startAgent('cleaner');
  // Not before the lease of the dead agent has ended.
  const left = await until('only the other upload is left', 60_000, async () => {
    const uploads = await listMultipartUploads(client, { bucket: fleet.bucket, prefix: '' }, callContext());
    return uploads.length === 1 ? uploads : null;
  });
  await fleet.jobThat(jobId, ({ cleaningUp }) => !cleaningUp, 10_000);
  expect(left.map(({ key }) => key)).toEqual(['somebody/elses']);
  await client.close();
  await fleet.admin.call('deleteJob', { params: { jobId } });
});

test('a dry run writes nothing, counts what would be copied behind its filter, and then runs for real', async () => {
  const filter = { ...DEFAULT_JOB_OPTIONS.filter, exclude: ['**/*5'] };
  const jobId = await fleet.queueJob(50, { options: { ...DEFAULT_JOB_OPTIONS, dryRun: true, filter } });
  await fleet.startAgent('careful');
  const tried = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
  expect(tried.counters).toMatchObject({ objectsListed: 50, objectsCopied: 45, objectsExcluded: 5 });
  expect((await fleet.sides()).target.size).toBe(0);
  const { objects } = await fleet.admin.call('jobPlan', { params: { jobId } });
  expect(objects.filter(({ action }) => action === 'copy')).toHaveLength(45);
  const real = await fleet.admin.call('repeatJob', { params: { jobId }, body: { dryRun: false } });
  await fleet.jobThat(real.jobId, ({ state }) => state === 'completed');
  const { source, target } = await fleet.sides();
  expect(target.size).toBe(45);
  for (const [key, hash] of target) expect(source.get(key)).toBe(hash);
});
