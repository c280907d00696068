import { DEFAULT_JOB_OPTIONS, type AssignmentNeed, type JobOptions } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { actOnJob } from '../../src/actions/act-on-job.ts';
import { readJob } from '../../src/actions/read-job.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { settled } from '../support/fake-clock.ts';
import { TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const PLAIN: Partial<JobOptions> = { manifest: false };

/** Options of a job, and what they ask of its agents. */
const ASKING: [AssignmentNeed, Partial<JobOptions>][] = [
  ['filter', { filter: { ...DEFAULT_JOB_OPTIONS.filter, exclude: ['*.tmp'] } }],
  ['filter', { filter: { ...DEFAULT_JOB_OPTIONS.filter, minBytes: 0 } }],
  ['dry-run', { dryRun: true }],
  ['listing-check', { checkBy: 'listing' }],
  ['manifest', { manifest: true }],
  ['part-sizes', { partBytes: 16 * 1_024 ** 2 }],
  ['part-sizes', { multipartThresholdBytes: 64 * 1_024 ** 2 }],
];

test('a job that asks for nothing new goes to an agent of version 1', async () => {
  const jobId = await console.job('plain', PLAIN);
  const agent = await console.agent('old', 1);
  await agent.heartbeat();
  expect(await agent.take()).toMatchObject({ jobId });
});

test.each(ASKING)('a job with %s waits for an agent that knows it: %o', async (need, options) => {
  const old = await console.agent('old', 1);
  await old.heartbeat();
  const jobId = await console.job('asking', { ...PLAIN, ...options });
  expect((await old.claim()).assignment).toBeNull();
  expect(await readJob(console.context, jobId)).toMatchObject({
    state: 'queued',
    needs: [need],
    needsVersion: 2,
    waitsForNewerAgents: true,
  });
  const today = await console.agent('today');
  await today.heartbeat();
  expect(await readJob(console.context, jobId)).toMatchObject({ waitsForNewerAgents: false });
  expect(await today.take()).toMatchObject({ jobId });
});

test('an older agent that waits does not keep a job from a newer one, and takes what it can do behind it', async () => {
  const old = await console.agent('old', 1);
  const today = await console.agent('today');
  for (const agent of [old, today]) await agent.heartbeat();
  const claims = [old.claim(20), today.claim(20)];
  await settled();
  const dry = await console.job('dry', { ...PLAIN, dryRun: true });
  await settled();
  expect(await claims[1]).toMatchObject({ assignment: { jobId: dry } });
  const plain = await console.job('plain', PLAIN);
  expect(await claims[0]).toMatchObject({ assignment: { jobId: plain } });
});

test('an agent of version 1 is never asked to clean up: it would copy the cancelled job', async () => {
  const today = await console.agent('today');
  await today.heartbeat();
  const jobId = await console.job('gone', PLAIN);
  await today.take();
  await actOnJob(console.context, jobId, 'cancel', 'test');
  const old = await console.agent('old', 1);
  for (let n = 0; n < 10; n += 1) {
    await console.clock.advance(30_000);
    await old.heartbeat();
    expect((await old.claim()).assignment).toBeNull();
  }
  expect(await readJob(console.context, jobId)).toMatchObject({
    state: 'cancelled',
    cleaningUp: true,
    needs: ['clean-up'],
    waitsForNewerAgents: true,
  });
  await today.heartbeat();
  expect(await today.take()).toMatchObject({ jobId, kind: 'clean-up' });
});

test('while every request is charged, or credits are spread, agents that know of neither get no work', async () => {
  const old = await console.agent('old', 1);
  const jobId = await console.job('plain', PLAIN);
  const { settings } = console.context.governor;
  for (const [change, needs] of [
    [{ costModel: 'per-request' }, ['request-costs']],
    [{ costModel: 'per-object', pacing: { mode: 'paced', burstSeconds: 0.05 } }, ['pacing']],
  ] as const) {
    await saveGovernorSettings(console.context, { ...settings, ...change }, 'test');
    await old.heartbeat();
    expect((await old.claim()).assignment).toBeNull();
    expect(await readJob(console.context, jobId)).toMatchObject({ needs, waitsForNewerAgents: true });
  }
  await saveGovernorSettings(console.context, { ...settings, pacing: { mode: 'off', burstSeconds: 0.05 } }, 'test');
  expect(await old.take()).toMatchObject({ jobId });
});

test('a range is not split for agents that could not do the rest of it', async () => {
  const today = await console.agent('today');
  const old = await console.agent('old', 1);
  for (const agent of [today, old]) await agent.heartbeat();
  await console.job('dry', { ...PLAIN, dryRun: true });
  const held = await today.take();
  const waiting = old.claim(20);
  await console.clock.advance(6_000);
  expect(await today.report(held, { canSplit: true })).toEqual({ desired: 'run' });
  const second = await console.agent('second');
  await second.heartbeat();
  const patient = second.claim(20);
  await settled();
  expect(await today.report(held, { canSplit: true })).toEqual({ desired: 'split', splitInto: 2 });
  console.context.desk.close();
  await Promise.all([waiting, patient]);
});

test('an agent that came back with an older version gets only what that one can do', async () => {
  const agent = await console.agent('changing');
  await agent.heartbeat();
  await console.job('dry', { ...PLAIN, dryRun: true });
  await agent.heartbeat({ protocolVersion: 1, bootId: 'boot-2' });
  expect((await agent.claim()).assignment).toBeNull();
});
