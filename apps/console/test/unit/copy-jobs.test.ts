import { afterEach, beforeEach, expect, test } from 'vitest';
import { actOnJob } from '../../src/actions/act-on-job.ts';
import { listFailures } from '../../src/actions/list-failures.ts';
import { readJob } from '../../src/actions/read-job.ts';
import { returnLeases } from '../../src/actions/return-leases.ts';
import { revokeAgent } from '../../src/actions/revoke-agent.ts';
import { splitWork } from '../../src/actions/split-shard.ts';
import { copied, TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const failure = (key: string) => ({ key, code: 'AccessDenied', message: 'no', requestId: null });
const act = (jobId: string, action: 'pause' | 'resume' | 'cancel' | 'retry') =>
  actOnJob(console.context, jobId, action, 'test');

/** Ascending keys. */
function keys(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(5, '0')}`);
}

/** Splits a leased shard. */
function split(agentId: string, assignment: { shardId: string; leaseId: string }, boundaries: string[]) {
  return splitWork(console.context, agentId, assignment.shardId, { leaseId: assignment.leaseId, boundaries });
}

test('the first agent of a job is asked to split it, and the others take the ranges', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  const jobId = await console.job();
  const first = await a.take();
  expect(first).toMatchObject({ jobId, splitInto: 24, work: { type: 'range', startAfter: null, endAt: null } });
  expect((await b.claim()).assignment).toBeNull();
  await split(a.agentId, first, ['h', 'q']);
  const second = await b.take();
  expect(second).toMatchObject({ splitInto: 0, work: { startAfter: 'h', endAt: 'q' } });
  expect(await readJob(console.context, jobId)).toMatchObject({
    state: 'running',
    shardsRunning: 2,
    shardsTotal: 3,
    shardsDone: 0,
  });
});

test('an agent that waits gets the ranges as soon as the job is split, and a job as soon as it is queued', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  const waiting = a.claim(25);
  await console.job();
  const { assignment } = await waiting;
  const other = b.claim(25);
  await split(a.agentId, assignment!, ['m']);
  expect((await other).assignment?.work).toMatchObject({ startAfter: 'm' });
});

test('the oldest job is served first, and an idle agent gets the next job rather than nothing', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  const [older, newer] = [await console.job('older'), await console.job('newer')];
  expect((await a.take()).jobId).toBe(older);
  expect((await b.take()).jobId).toBe(newer);
});

test('a newer job does not wait until a huge one ends: whoever has fewer ranges at work is next, the older among equals', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  const older = await console.job('older');
  const first = await a.take();
  const newer = await console.job('newer');
  await split(a.agentId, first, ['g', 'm', 't']);
  const taken = [await b.take(), await a.take(), await b.take(), await a.take()].map(({ jobId }) => jobId);
  expect(taken).toEqual([newer, older, older, older]);
});

test('a shard that is reported done while its lease is being taken back stays done', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  const leases = console.context.leases.held();
  const reporting = a.report(held, { state: 'completed', live: copied(5) });
  await Promise.all([reporting, returnLeases(console.context, leases, 'test')]);
  expect(await readJob(console.context, jobId)).toMatchObject({ state: 'completed', shardsDone: 1 });
});

test('an assignment carries the decrypted credentials, which are stored encrypted', async () => {
  const a = await console.agent('a');
  await console.job();
  expect(await a.take()).toMatchObject({
    source: { url: 'http://127.0.0.1:9001', accessKeyId: 'src', secretAccessKey: 'src-secret', bucket: 'photos' },
    target: { secretAccessKey: 'dst-secret', bucket: 'archive' },
  });
  for (const endpoint of await console.storage.endpoints.all())
    expect(JSON.stringify(endpoint)).not.toContain('-secret"');
});

test('a job is completed when its last shard is, and tells what its shards did', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const first = await a.take();
  await split(a.agentId, first, ['m']);
  const second = await a.take();
  await a.report(first, { state: 'completed', live: copied(10) });
  expect(await readJob(console.context, jobId)).toMatchObject({ state: 'running', shardsDone: 1, progressPercent: 50 });
  await a.report(second, { state: 'completed', live: copied(7) });
  const job = await readJob(console.context, jobId);
  expect(job).toMatchObject({ state: 'completed', progressPercent: 100, counters: copied(17), shardsDone: 2 });
  expect(job.finishedAtMs).toBe(console.clock.nowMs());
});

test('a lease of a silent agent lapses after three windows and goes on from its checkpoint with its counters', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  await console.job();
  const lost = await a.take();
  expect(lost.heldBefore).toBe(false);
  await a.report(lost, {
    checkpoint: 'm',
    atCheckpoint: copied(5),
    live: copied(8),
    failures: [failure('c'), failure('m'), failure('x')],
  });
  await console.clock.advance(90_000);
  expect((await b.claim()).assignment).toBeNull();
  const waiting = b.claim(25);
  await console.clock.advance(6_000);
  const { assignment } = await waiting;
  expect(assignment).toMatchObject({ shardId: lost.shardId, checkpoint: 'm', heldBefore: true });
  expect(assignment?.leaseId).not.toBe(lost.leaseId);
  const job = await readJob(console.context, lost.jobId);
  // What lies behind the checkpoint is done again; what is shown does not fall meanwhile.
  expect(job.counters.objectsCopied).toBe(8);
  await b.report(assignment!, { live: copied(1) });
  expect((await readJob(console.context, lost.jobId)).counters.objectsCopied).toBe(8);
  await b.report(assignment!, { live: copied(4) });
  expect((await readJob(console.context, lost.jobId)).counters.objectsCopied).toBe(9);
  // What failed behind the checkpoint is tried again, so it is not known to have failed any more.
  expect((await listFailures(console.context, lost.jobId, 10)).failures.map(({ key }) => key)).toEqual(['c', 'm']);
  await expect(a.report(lost)).rejects.toMatchObject({ code: 'lease-lost' });
});

test('an agent that goes on reporting keeps its lease', async () => {
  const a = await console.agent('a');
  await console.job();
  const held = await a.take();
  for (let n = 0; n < 10; n += 1) {
    await console.clock.advance(80_000);
    expect(await a.report(held)).toEqual({ desired: 'run' });
  }
});

test('a wall clock that jumps a day ends no lease', async () => {
  const a = await console.agent('a');
  await console.job();
  const held = await a.take();
  console.clock.jumpWall(86_400_000);
  await console.clock.advance(10_000);
  expect(await a.report(held)).toEqual({ desired: 'run' });
});

test('an agent whose process restarted loses the shards of the old process at once', async () => {
  const a = await console.agent('a');
  await a.heartbeat();
  await console.job();
  const old = await a.take();
  a.bootId = 'boot-2';
  await a.heartbeat();
  expect((await a.take()).shardId).toBe(old.shardId);
  await expect(a.report(old)).rejects.toMatchObject({ code: 'lease-lost' });
});

test('a revoked agent loses its shards to the others', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  await console.job();
  const lost = await a.take();
  const waiting = b.claim(25);
  expect(await revokeAgent(console.context, a.agentId, 'test')).toMatchObject({ revoked: true, status: 'offline' });
  expect((await waiting).assignment?.shardId).toBe(lost.shardId);
});

test('an assignment that its agent did not wait for goes back at once', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  const gone = new AbortController();
  const waiting = a.claim(25, gone.signal);
  await console.clock.advance(0);
  gone.abort();
  expect((await waiting).assignment).toBeNull();
  await console.job();
  expect((await b.take()).shardId).toBeDefined();
});

test('a paused job asks its agents to give shards back, hands none out, and goes on when resumed', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  await a.report(held, { checkpoint: 'd', atCheckpoint: copied(4), live: copied(4) });
  expect((await act(jobId, 'pause')).state).toBe('paused');
  expect(await a.report(held, { checkpoint: 'd', atCheckpoint: copied(4), live: copied(4) })).toEqual({
    desired: 'release',
  });
  await a.report(held, { state: 'released', checkpoint: 'f', atCheckpoint: copied(6), live: copied(6) });
  expect((await a.claim()).assignment).toBeNull();
  expect((await act(jobId, 'resume')).state).toBe('running');
  expect(await a.take()).toMatchObject({ shardId: held.shardId, checkpoint: 'f' });
  expect((await readJob(console.context, jobId)).counters.objectsCopied).toBe(6);
});

test('a queued job can be held back and is queued again when it is resumed', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  await act(jobId, 'pause');
  expect((await a.claim()).assignment).toBeNull();
  expect((await act(jobId, 'resume')).state).toBe('queued');
  expect((await a.take()).jobId).toBe(jobId);
});

test('a paused job whose last shard is finished meanwhile is completed', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  await act(jobId, 'pause');
  await a.report(held, { state: 'completed', live: copied(3) });
  expect((await readJob(console.context, jobId)).state).toBe('completed');
});

test('a cancelled job asks its agents to abandon it', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  expect(await act(jobId, 'cancel')).toMatchObject({ state: 'cancelled', finishedAtMs: console.clock.nowMs() });
  expect(await a.report(held)).toEqual({ desired: 'abandon' });
  await a.report(held, { state: 'released' });
  expect((await a.claim()).assignment).toBeNull();
  expect((await act(jobId, 'retry')).state).toBe('queued');
  expect((await a.take()).shardId).toBe(held.shardId);
});

test('a job that an agent says cannot go on fails with its reason, and a retry goes on from the checkpoints', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  const jobId = await console.job();
  const first = await a.take();
  await split(a.agentId, first, ['m']);
  const second = await b.take();
  const error = { code: 'NoSuchBucket', message: 'the bucket is gone' };
  await a.report(first, { state: 'failed', checkpoint: 'c', atCheckpoint: copied(2), live: copied(3), error });
  expect(await readJob(console.context, jobId)).toMatchObject({ state: 'failed', error });
  expect(await b.report(second)).toEqual({ desired: 'release' });
  await b.report(second, { state: 'released', checkpoint: 'p', atCheckpoint: copied(1), live: copied(1) });
  expect(await act(jobId, 'retry')).toMatchObject({ state: 'queued', error: null, finishedAtMs: null });
  expect((await a.take()).checkpoint).toBe('c');
  expect((await a.take()).checkpoint).toBe('p');
});

test('an action that does not fit the state of the job is refused and changes nothing', async () => {
  const jobId = await console.job();
  await expect(act(jobId, 'resume')).rejects.toMatchObject({ code: 'wrong-state' });
  await expect(act(jobId, 'retry')).rejects.toMatchObject({ code: 'wrong-state' });
  await expect(act('job_0', 'pause')).rejects.toMatchObject({ code: 'not-found' });
  expect((await readJob(console.context, jobId)).state).toBe('queued');
});

test('the last report of a lease may be repeated when its answer was lost', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  const last = { state: 'completed', live: copied(5) } as const;
  await a.report(held, last);
  await a.report(held, last);
  expect((await readJob(console.context, jobId)).counters.objectsCopied).toBe(5);
});

test('rates and ETA come from the last reports', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const first = await a.take();
  await split(a.agentId, first, ['m']);
  await a.report(first, { state: 'completed', live: copied(100) });
  const second = await a.take();
  for (let n = 1; n <= 5; n += 1) {
    await console.clock.advance(2_000);
    await a.report(second, { live: copied(n * 10) });
  }
  const job = await readJob(console.context, jobId);
  expect(job.objectsPerSecond).toBeCloseTo(15, 0);
  expect(job.bytesPerSecond).toBeCloseTo(150, -1);
  expect(job.progressPercent).toBeCloseTo(75, 5);
  expect(job.etaMs).toBeCloseTo(50_000 / job.objectsPerSecond, -1);
});

test('a holdoff of an agent shows on the jobs whose shards it holds while it lasts', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  const holdoff = { remainingMs: 60_000, reason: '503 SlowDown', jobId };
  await a.report(held, { holdoff, holdoffCount: 1 });
  const untilMs = console.clock.nowMs() + 60_000;
  expect(await readJob(console.context, jobId)).toMatchObject({ holdoffCount: 1, holdoffUntilMs: untilMs });
  await console.clock.advance(60_000);
  expect((await readJob(console.context, jobId)).holdoffUntilMs).toBeNull();
});

test('a split is refused when the job would have more than 1,024 shards', async () => {
  const a = await console.agent('a');
  await console.job();
  const held = await a.take();
  await split(a.agentId, held, keys('b', 1_000));
  await expect(split(a.agentId, held, keys('a', 100))).rejects.toMatchObject({ code: 'validation-failed' });
  await expect(split(a.agentId, { ...held, shardId: 'shd_0' }, [])).rejects.toMatchObject({ code: 'not-found' });
});
