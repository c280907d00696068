import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startAgentProcess } from './agent-process.ts';
import { startS3Pair, TestFleet, until, type S3Pair } from './fleet.ts';
import { SlowDownProxy } from './slow-down-proxy.ts';

let s3: S3Pair;
let fleet: TestFleet;

beforeAll(async () => {
  s3 = await startS3Pair();
});

afterAll(async () => {
  await s3.stop();
});

beforeEach(async () => {
  fleet = await TestFleet.start(s3, { windowSeconds: 1, initialSplit: 6 });
  await fleet.setLimit(100);
});

afterEach(async () => {
  await fleet.stop();
});

async function expectEqualSides(): Promise<void> {
  const { source, target } = await fleet.sides();
  expect(target).toEqual(source);
}

describe('a job', () => {
  test('is split and copied by two agents under a low limit: everything arrives, and no window is overspent', async () => {
    await fleet.setLimit(150);
    const jobId = await fleet.queueJob(1_200);
    await fleet.startAgent('one', { slots: 1 });
    await fleet.startAgent('two', { slots: 1 });
    const both = await fleet.jobThat(jobId, ({ agents }) => agents.length === 2);
    expect(both.shardsTotal).toBe(2);
    const job = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
    expect(job.counters).toMatchObject({ objectsCopied: 1_200, objectsFailed: 0 });
    expect(job.counters.parkedMs).toBeGreaterThan(0);
    await expectEqualSides();
    // The last window is reported by the heartbeat that ends it.
    await until('the report of every charge', 10_000, async () => {
      const windows = await fleet.windows();
      for (const window of windows) expect(window.chargedOps).toBeLessThanOrEqual(window.creditBudget);
      return windows.reduce((sum, { chargedOps }) => sum + chargedOps, 0) >= 1_203 ? true : null;
    });
  });

  test('goes on when the console is restarted in the middle, without losing or repeating a count', async () => {
    const jobId = await fleet.queueJob(400);
    await fleet.startAgent('one');
    await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 50);
    await fleet.restartConsole(1_500);
    const job = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
    expect(job.counters).toMatchObject({ objectsCopied: 400, objectsFailed: 0 });
    await expectEqualSides();
    const messages = fleet.log.map(({ msg }) => msg);
    expect(messages).toContain('the console was restarted: following its new coordinator');
    expect(messages).toContain('the console answers again');
    expect(messages).not.toContain('the lease was lost: another agent has the shard');
  });

  test('outlives an agent that is killed: another one takes over after three windows', async () => {
    const jobId = await fleet.queueJob(400);
    const victim = startAgentProcess(fleet.agentOptions('victim', { slots: 8 }));
    fleet.atTheEnd(async () => {
      victim.kill('SIGKILL');
      await victim.exited;
    });
    await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 50);
    await fleet.startAgent('heir');
    victim.kill('SIGKILL');
    expect(await victim.exited).toBe('SIGKILL');
    const killedAt = performance.now();
    const job = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
    expect(performance.now() - killedAt).toBeGreaterThan(2_000);
    expect(job.counters.objectsFailed).toBe(0);
    expect(job.agents.map(({ name }) => name)).not.toContain('victim');
    await expectEqualSides();
  });

  test('is given back at its checkpoint by an agent that is told to stop, within 10 s and with exit code 0', async () => {
    const jobId = await fleet.queueJob(400);
    const leaving = startAgentProcess(fleet.agentOptions('leaving'));
    fleet.atTheEnd(async () => {
      leaving.kill('SIGKILL');
      await leaving.exited;
    });
    await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 50);
    const toldAt = performance.now();
    leaving.kill('SIGTERM');
    expect(await leaving.exited).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(10_000);
    const left = await fleet.job(jobId);
    expect(left).toMatchObject({ state: 'running', shardsRunning: 0 });
    expect(left.counters.objectsCopied).toBeGreaterThan(0);
    const { agents } = await fleet.admin.call('agents');
    expect(agents).toMatchObject([{ name: 'leaving', status: 'idle', runningJobs: 0 }]);
    expect(leaving.output()).not.toContain(s3.target.secretAccessKey);

    await fleet.startAgent('next');
    const job = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
    expect(job.counters).toMatchObject({ objectsCopied: 400, objectsFailed: 0 });
    await expectEqualSides();
  });

  test('is paused, resumed and cancelled by the console', async () => {
    const jobId = await fleet.queueJob(1_500);
    await fleet.startAgent('one');
    await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 20);
    await fleet.admin.call('actOnJob', { params: { jobId, action: 'pause' } });
    const paused = await fleet.jobThat(jobId, ({ shardsRunning }) => shardsRunning === 0);
    expect(paused.state).toBe('paused');
    await fleet.admin.call('actOnJob', { params: { jobId, action: 'resume' } });
    await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > paused.counters.objectsCopied);
    await fleet.admin.call('actOnJob', { params: { jobId, action: 'cancel' } });
    const cancelled = await fleet.jobThat(jobId, ({ shardsRunning }) => shardsRunning === 0);
    expect(cancelled.state).toBe('cancelled');
    expect(cancelled.counters.objectsCopied).toBeLessThan(1_500);
  });
});

describe('503 SlowDown', () => {
  test('that outlasts retries pauses all jobs of the agent, is counted, and the job then completes', async () => {
    const proxy = await SlowDownProxy.start(s3.target);
    fleet.atTheEnd(() => proxy.stop());
    const jobId = await fleet.queueJob(300, { targetUrl: proxy.url });
    await fleet.startAgent('one', { holdoffMinSeconds: 2, holdoffMaxSeconds: 2 });
    await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 50);
    proxy.refuses = (method) => method === 'PUT';
    const held = await fleet.jobThat(jobId, ({ holdoffUntilMs }) => holdoffUntilMs !== null);
    expect(held.holdoffCount).toBe(1);
    await until('the pause of the agent', 5_000, async () => {
      const [agent] = (await fleet.admin.call('agents')).agents;
      return agent?.status === 'idle' && agent.holdoffUntilMs !== null && agent.holdoffCount === 1 ? true : null;
    });
    const refused = proxy.refused;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(proxy.refused).toBe(refused);
    proxy.refuses = () => false;
    const job = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
    expect(job.counters).toMatchObject({ objectsCopied: 300, objectsFailed: 0 });
    await expectEqualSides();
    expect(fleet.log.map(({ msg }) => msg)).toContain('holdoff: all jobs pause');
  });
});
