import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { actOnJob } from '../../src/actions/act-on-job.ts';
import { deleteJob } from '../../src/actions/delete-job.ts';
import { listAgents } from '../../src/actions/list-agents.ts';
import { readJob } from '../../src/actions/read-job.ts';
import { readManifest } from '../../src/actions/read-manifest.ts';
import { readPlan } from '../../src/actions/read-plan.ts';
import { repeatJob } from '../../src/actions/repeat-job.ts';
import { splitWork } from '../../src/actions/split-shard.ts';
import { verifyManifest } from '../../src/security/manifest.ts';
import { copied, TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const trouble = { code: 'connection-refused', message: 'GetObject: refused', forMs: 12_000, retryInMs: 4_000 };
const act = (jobId: string, action: 'cancel' | 'retry' | 'pause') => actOnJob(console.context, jobId, action, 'test');

describe('trouble', () => {
  test('that an agent reports is shown at its job and at the agent, with its age and the next try, until it is over', async () => {
    const a = await console.agent('a');
    const jobId = await console.job();
    const held = await a.take();
    await a.heartbeat({ runningJobs: 1 });
    await a.report(held, { trouble });
    const nowMs = console.clock.nowMs();
    const shown = {
      agentId: a.agentId,
      agentName: 'a',
      jobId,
      code: 'connection-refused',
      message: 'GetObject: refused',
      sinceMs: nowMs - 12_000,
      nextRetryAtMs: nowMs + 4_000,
    };
    expect(await readJob(console.context, jobId)).toMatchObject({ state: 'running', troubles: [shown], etaMs: null });
    expect((await listAgents(console.context)).agents[0]?.troubles).toEqual([shown]);
    await a.report(held, { live: copied(1) });
    expect((await readJob(console.context, jobId)).troubles).toEqual([]);
    expect((await listAgents(console.context)).agents[0]?.troubles).toEqual([]);
  });

  test('ends with the lease that it was about', async () => {
    const a = await console.agent('a');
    const jobId = await console.job();
    const held = await a.take();
    await a.report(held, { trouble });
    await a.report(held, { state: 'released', trouble });
    expect((await readJob(console.context, jobId)).troubles).toEqual([]);
  });
});

describe('a range that runs long', () => {
  test('is asked to split for the agents that wait, once, and not for its own holder', async () => {
    const [a, b, c] = [await console.agent('a'), await console.agent('b'), await console.agent('c')];
    await console.job();
    const held = await a.take();
    const own = a.claim(25);
    await console.clock.advance(6_000);
    expect(await a.report(held, { canSplit: true })).toEqual({ desired: 'run' });
    const waiting = [b.claim(25), c.claim(25)];
    await console.clock.advance(10);
    expect(await a.report(held, { canSplit: false })).toEqual({ desired: 'run' });
    expect(await a.report(held, { canSplit: true, trouble })).toEqual({ desired: 'run' });
    expect(await a.report(held, { canSplit: true })).toEqual({ desired: 'split', splitInto: 3 });
    expect(await a.report(held, { canSplit: true })).toEqual({ desired: 'run' });
    const request = { leaseId: held.leaseId, boundaries: ['h', 'p'] };
    await splitWork(console.context, a.agentId, held.shardId, request);
    const taken = await Promise.all(waiting);
    expect(taken.map(({ assignment }) => assignment?.work)).toEqual([
      { type: 'range', startAfter: 'h', endAt: 'p' },
      { type: 'range', startAfter: 'p', endAt: null },
    ]);
    await console.clock.advance(20_000);
    expect((await own).assignment).toBeNull();
  });

  test('is not asked while it is young, nor for an agent that has as much to do', async () => {
    const [a, b] = [await console.agent('a'), await console.agent('b')];
    await console.job('one');
    await console.job('two');
    const [first] = [await a.take(), await b.take()];
    void b.claim(25);
    await console.clock.advance(4_000);
    const c = await console.agent('c');
    void c.claim(25);
    await console.clock.advance(10);
    expect(await a.report(first, { canSplit: true })).toEqual({ desired: 'run' });
    await console.clock.advance(2_000);
    expect(await a.report(first, { canSplit: true })).toEqual({ desired: 'split', splitInto: 2 });
  });

  test('keeps the progress that was shown when its rest becomes other ranges', async () => {
    const [a, b] = [await console.agent('a'), await console.agent('b')];
    const jobId = await console.job();
    const held = await a.take();
    await splitWork(console.context, a.agentId, held.shardId, { leaseId: held.leaseId, boundaries: ['m'] });
    await a.report(held, { state: 'completed', checkpoint: 'm', atCheckpoint: copied(100), live: copied(100) });
    const second = await b.take();
    const half = { checkpoint: 'p', atCheckpoint: copied(50), live: copied(50) };
    await b.report(second, half);
    const before = (await readJob(console.context, jobId)).progressPercent ?? 0;
    expect(before).toBeCloseTo(75);
    await splitWork(console.context, b.agentId, second.shardId, { leaseId: second.leaseId, boundaries: ['s', 'w'] });
    await b.report(second, half);
    expect((await readJob(console.context, jobId)).progressPercent).toBeGreaterThanOrEqual(before);
  });
});

describe('what a dead agent left at the target', () => {
  test('of a cancelled job is removed by another one, before anything else is copied, and only then the job can go', async () => {
    const [a, b] = [await console.agent('a'), await console.agent('b')];
    const jobId = await console.job();
    const lost = await a.take();
    await a.report(lost, { checkpoint: 'm', atCheckpoint: copied(5), live: copied(5) });
    await act(jobId, 'cancel');
    expect((await readJob(console.context, jobId)).cleaningUp).toBe(false);
    await expect(deleteJob(console.context, jobId, 'test')).rejects.toMatchObject({ code: 'wrong-state' });
    await console.clock.advance(100_000);
    expect((await readJob(console.context, jobId)).cleaningUp).toBe(true);
    await expect(deleteJob(console.context, jobId, 'test')).rejects.toThrow(/remove what others left/);
    await console.job('next');
    const cleaning = await b.take();
    expect(cleaning).toMatchObject({ kind: 'clean-up', jobId, shardId: lost.shardId, checkpoint: 'm' });
    expect(await b.report(cleaning)).toEqual({ desired: 'run' });
    await b.report(cleaning, { state: 'completed' });
    await b.report(cleaning, { state: 'completed' });
    expect(await readJob(console.context, jobId)).toMatchObject({ state: 'cancelled', cleaningUp: false });
    expect(await b.take()).toMatchObject({ kind: 'copy', jobName: 'next' });
    await deleteJob(console.context, jobId, 'test');
    await expect(readJob(console.context, jobId)).rejects.toMatchObject({ code: 'not-found' });
  });

  test('is left to whoever goes on when the job is retried, and progress is as it was', async () => {
    const [a, b] = [await console.agent('a'), await console.agent('b')];
    const jobId = await console.job();
    const lost = await a.take();
    await a.report(lost, { checkpoint: 'm', atCheckpoint: copied(5), live: copied(5) });
    await act(jobId, 'cancel');
    await console.clock.advance(100_000);
    const cleaning = await b.take();
    await act(jobId, 'retry');
    expect(await b.report(cleaning)).toEqual({ desired: 'release' });
    await b.report(cleaning, { state: 'released' });
    const again = await b.take();
    expect(again).toMatchObject({ kind: 'copy', shardId: lost.shardId, checkpoint: 'm', heldBefore: true });
    await b.report(again, { state: 'completed', checkpoint: 'z', atCheckpoint: copied(3), live: copied(3) });
    expect(await readJob(console.context, jobId)).toMatchObject({
      state: 'completed',
      counters: { objectsCopied: 8 },
      objectsTotal: 8,
    });
  });

  test('is not looked for when the agent said that it stopped', async () => {
    const [a, b] = [await console.agent('a'), await console.agent('b')];
    const jobId = await console.job();
    const held = await a.take();
    await act(jobId, 'cancel');
    expect(await a.report(held)).toEqual({ desired: 'abandon' });
    await a.report(held, { state: 'released' });
    expect((await b.claim()).assignment).toBeNull();
    await deleteJob(console.context, jobId, 'test');
  });

  test('is given up where it cannot be removed, so that it is not tried for ever', async () => {
    const [a, b] = [await console.agent('a'), await console.agent('b')];
    const jobId = await console.job();
    await a.take();
    await act(jobId, 'cancel');
    await console.clock.advance(100_000);
    await b.report(await b.take(), { state: 'failed', error: { code: 'AccessDenied', message: 'no' } });
    expect(await readJob(console.context, jobId)).toMatchObject({ state: 'cancelled', error: null, cleaningUp: false });
    expect((await b.claim()).assignment).toBeNull();
  });
});

describe('figures of a job', () => {
  test('tell the total only once every range is listed to its end, and time that was spent waiting as a share', async () => {
    const a = await console.agent('a');
    const jobId = await console.job();
    const held = await a.take();
    await a.report(held, { live: copied(40), heldMs: 10_000, waitedMs: 2_500 });
    expect(await readJob(console.context, jobId)).toMatchObject({ objectsTotal: null, parkedPercent: 25 });
    const listed = { ...copied(40), objectsListed: 80 };
    await a.report(held, { live: listed, listed: true, heldMs: 20_000, waitedMs: 2_500 });
    expect(await readJob(console.context, jobId)).toMatchObject({
      objectsTotal: 80,
      progressPercent: 50,
      parkedPercent: 12.5,
    });
  });

  test('show what each agent moves over the network, measured between its reports', async () => {
    const [a, b] = [await console.agent('a'), await console.agent('b')];
    const jobId = await console.job();
    const held = await a.take();
    await splitWork(console.context, a.agentId, held.shardId, { leaseId: held.leaseId, boundaries: ['m'] });
    const other = await b.take();
    await a.report(held);
    await b.report(other);
    await console.clock.advance(10_000);
    await a.report(held, { traffic: { bytesRead: 5_000_000, bytesWritten: 5_000_000 } });
    await b.report(other, { traffic: { bytesRead: 1_250_000, bytesWritten: 0 } });
    const job = await readJob(console.context, jobId);
    expect(job.agents.map(({ name, shards, mbps }) => ({ name, shards, mbps }))).toEqual([
      { name: 'a', shards: 1, mbps: 8 },
      { name: 'b', shards: 1, mbps: 1 },
    ]);
    expect(job.mbps).toBe(9);
  });
});

describe('an ended job', () => {
  test('that was a dry run lists what it met first, and runs for real as a new job with the same options', async () => {
    const a = await console.agent('a');
    const filter = {
      include: ['**/*.tif'],
      exclude: [],
      minBytes: 1,
      maxBytes: null,
      modifiedAfterMs: null,
      modifiedBeforeMs: null,
    };
    const jobId = await console.job('try', { dryRun: true, filter });
    const held = await a.take();
    expect(held.options).toMatchObject({ dryRun: true, filter });
    const planned = [
      { key: 'b', sizeBytes: 5, action: 'copy' as const },
      { key: 'a', sizeBytes: 7, action: 'skip' as const },
    ];
    await a.report(held, { state: 'completed', live: copied(2), planned });
    expect(await readPlan(console.context, jobId)).toEqual([planned[1], planned[0]]);
    const real = await repeatJob(console.context, jobId, { dryRun: false, name: 'real' }, 'test');
    expect(real).toMatchObject({
      name: 'real',
      state: 'queued',
      options: { dryRun: false, filter },
      createdBy: 'test',
    });
    await expect(readPlan(console.context, real.jobId)).rejects.toMatchObject({ code: 'wrong-state' });
  });

  test('has a manifest with the chain of each shard, whose signature shows every change', async () => {
    const a = await console.agent('a');
    const jobId = await console.job();
    const held = await a.take();
    await expect(readManifest(console.context, jobId)).rejects.toMatchObject({ code: 'wrong-state' });
    const manifest = { digest: 'ab'.repeat(32), entries: 3 };
    await a.report(held, { state: 'completed', live: copied(3), manifest });
    const signed = JSON.parse(JSON.stringify(await readManifest(console.context, jobId)));
    expect(signed.manifest).toMatchObject({
      jobId,
      state: 'completed',
      shards: [{ position: 0, chain: manifest, counters: copied(3) }],
      source: { bucket: 'photos', url: 'http://127.0.0.1:9001' },
    });
    const { publicKey } = console.context.manifestSigner.key;
    expect(verifyManifest(signed, publicKey)).toMatchObject({ ok: true, manifest: { jobId } });
    for (const change of [
      { counters: copied(4) },
      { name: 'another' },
      { digest: '00' },
      { source: { ...signed.manifest.source, bucket: 'other' } },
    ]) {
      const changed = { ...signed, manifest: { ...signed.manifest, ...change } };
      expect(verifyManifest(changed, publicKey)).toMatchObject({ ok: false, reason: 'wrong-signature' });
    }
    const other = await TestConsole.start();
    expect(verifyManifest(signed, other.context.manifestSigner.key.publicKey).ok).toBe(
      other.context.manifestSigner.key.publicKey === publicKey,
    );
    await other.stop();
    expect(verifyManifest({ manifest: {} }, publicKey)).toMatchObject({ ok: false, reason: 'malformed' });
  });

  test('keeps no manifest when it was made without', async () => {
    const a = await console.agent('a');
    const jobId = await console.job('plain', { manifest: false });
    await a.report(await a.take(), { state: 'completed' });
    await expect(readManifest(console.context, jobId)).rejects.toMatchObject({ code: 'wrong-state' });
  });
});
