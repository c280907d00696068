import { afterEach, beforeEach, expect, test } from 'vitest';
import { actOnJob } from '../../src/actions/act-on-job.ts';
import { pruneEnded } from '../../src/actions/prune-ended.ts';
import { listFailures } from '../../src/actions/list-failures.ts';
import { failure, storedAlarm, storedEntry } from '../support/stored-things.ts';
import { copied, TestConsole } from '../support/test-console.ts';

const DAY_MS = 86_400_000;

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start({ options: { retentionDays: { jobs: 30, failures: 10, alarms: 20, audit: 40 } } });
});
afterEach(() => console.stop());

/** Lets days pass without the ticks of a fleet in between. */
const passDays = (days: number): void => console.clock.jumpWall(days * DAY_MS);
const prune = async (): Promise<void> => {
  while (await pruneEnded(console.context));
};

/** A job that ended now with one failed object. */
async function endedJob(name: string): Promise<string> {
  const agent = await console.agent(`for-${name}`);
  await agent.heartbeat();
  const jobId = await console.job(name);
  const held = await agent.take();
  const done = copied(3, 1);
  await agent.report(held, { state: 'completed', atCheckpoint: done, live: done, failures: [failure('k')] });
  return jobId;
}

const kept = async (jobId: string): Promise<boolean> => (await console.storage.jobs.get(jobId)) !== undefined;

test('an ended job goes with everything of its own once it has been kept long enough, and not before', async () => {
  const jobId = await endedJob('one');
  passDays(29.9);
  await prune();
  expect(await kept(jobId)).toBe(true);
  passDays(0.2);
  await prune();
  expect(await kept(jobId)).toBe(false);
  expect(await console.storage.shards.countOf(jobId)).toBe(0);
});

test('lists of failed objects may go before their job, which keeps its counters and can still be retried', async () => {
  const jobId = await endedJob('one');
  passDays(11);
  await prune();
  expect(await listFailures(console.context, jobId, 10)).toEqual({ failures: [], total: 1 });
  expect((await actOnJob(console.context, jobId, 'retry', 'test')).state).toBe('queued');
});

test('a job that runs, waits or is cleaned up after is kept however old it is', async () => {
  const agent = await console.agent('agent');
  await agent.heartbeat();
  const running = await console.job('running');
  await agent.take();
  const queued = await console.job('queued');
  const cancelled = await console.job('cancelled');
  const held = (await agent.take()).jobId === queued ? await agent.take() : null;
  expect(held?.jobId).toBe(cancelled);
  await actOnJob(console.context, cancelled, 'cancel', 'test');
  passDays(500);
  await prune();
  for (const jobId of [running, queued, cancelled]) expect(await kept(jobId)).toBe(true);
});

test('alarms that are over and entries of the audit log go by their age; an alarm that lasts does not', async () => {
  const nowMs = console.clock.nowMs();
  await console.storage.alarms.save({ ...storedAlarm('over', nowMs - 2), endedAtMs: nowMs });
  await console.storage.alarms.save(storedAlarm('lasting', nowMs - 2));
  await console.storage.audit.add(storedEntry({ atMs: nowMs, action: 'old' }));
  passDays(21);
  await console.storage.audit.add(storedEntry({ atMs: console.clock.nowMs(), action: 'young' }));
  await prune();
  expect((await console.storage.alarms.list(9)).map((alarm) => alarm.alarmId)).toEqual(['lasting']);
  expect(await console.storage.audit.list({ limit: 9, action: 'old' })).toHaveLength(1);
  passDays(20);
  await prune();
  expect((await console.storage.audit.list({ limit: 9 })).map((entry) => entry.action)).toEqual(['young']);
  passDays(50);
  await prune();
  expect(await console.storage.audit.list({ limit: 9 })).toEqual([]);
});

test('it is done in small batches on its own tick', async () => {
  const jobs: string[] = [];
  for (let n = 0; n < 7; n += 1) jobs.push(await endedJob(`job-${n}`));
  passDays(31);
  expect(await pruneEnded(console.context)).toBe(true);
  const left = await Promise.all(jobs.map(kept));
  expect(left.filter(Boolean)).toHaveLength(2);
  await console.clock.advance(5 * 60_000);
  expect((await Promise.all(jobs.map(kept))).filter(Boolean)).toHaveLength(0);
});
