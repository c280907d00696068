import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acknowledgeAlarm } from '../../src/actions/acknowledge-alarm.ts';
import { readJob } from '../../src/actions/read-job.ts';
import { readMonitor } from '../../src/actions/read-monitor.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { copied, TestConsole, usageOf } from '../support/test-console.ts';

let dir: string;
let clock: FakeClock;
let console: TestConsole;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-restart-'));
  clock = new FakeClock();
  console = await TestConsole.start({ clock, path: join(dir, 'weir.db') });
});
afterEach(async () => {
  await console.stop();
  await rm(dir, { recursive: true });
});

async function restart(awayMs: number): Promise<void> {
  await console.stop();
  await clock.advance(awayMs);
  console = await TestConsole.start({ clock, path: join(dir, 'weir.db') });
}

test('settings survive a restart with who changed them and when', async () => {
  const saved = await saveGovernorSettings(
    console.context,
    { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: 4_000 },
    'ann',
  );
  await restart(60_000);
  expect(console.context.governor).toEqual(saved);
});

test('an agent goes on with its lease after a restart, even one that took longer than a lease may be silent', async () => {
  const agent = await console.agent('a');
  await agent.heartbeat();
  const jobId = await console.job();
  const held = await agent.take();
  await agent.report(held, { checkpoint: 'd', atCheckpoint: copied(4), live: copied(4) });
  await restart(600_000);
  const known = console.known(agent.agentId);
  await known.heartbeat({ runningJobs: 1 });
  await clock.advance(80_000);
  expect(await known.report(held, { checkpoint: 'k', atCheckpoint: copied(9), live: copied(9) })).toEqual({
    desired: 'run',
  });
  await known.report(held, { state: 'completed', live: copied(20) });
  expect(await readJob(console.context, jobId)).toMatchObject({ state: 'completed', counters: { objectsCopied: 20 } });
});

test('a lease whose agent does not come back after a restart lapses three windows later', async () => {
  const agent = await console.agent('a');
  const jobId = await console.job();
  await agent.take();
  await restart(1_000);
  await clock.advance(89_000);
  expect((await readJob(console.context, jobId)).shardsRunning).toBe(1);
  await clock.advance(7_000);
  expect((await readJob(console.context, jobId)).shardsRunning).toBe(0);
});

test('after a restart agents that were heard lately share the budget equally under a new epoch', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  await console.job('1');
  await console.job('2');
  await a.heartbeat();
  await b.heartbeat();
  const before = (await a.claim()).grant!;
  await b.claim();
  await restart(20_000);
  const answer = await console.known(a.agentId).heartbeat({ runningJobs: 1, usage: usageOf(before) });
  expect(answer.grant?.epoch).not.toBe(before.epoch);
  expect(answer.grant?.allocatedTps).toBe(5_000);
});

test('an alarm, its cooldown and its acknowledgement survive a restart', async () => {
  const agent = await console.agent('a');
  const high = (windowNumber: number) =>
    console.known(agent.agentId).heartbeat({
      runningJobs: 1,
      usage: usageOf({ epoch: 'e', windowNumber, creditBudget: 1 }, { actualTps: 9_900 }),
    });
  await high(1);
  const [alarm] = console.context.alarms.active();
  await acknowledgeAlarm(console.context, alarm!.alarmId, 'ann');
  await restart(60_000);
  expect(console.context.alarms.active()).toMatchObject([
    { alarmId: alarm!.alarmId, acknowledgedBy: 'ann', firings: 1 },
  ]);
  await high(2);
  expect(console.context.alarms.active()).toMatchObject([{ alarmId: alarm!.alarmId, firings: 1 }]);
});

test('an alarm that nobody looked after during a long outage expires at the first tick', async () => {
  const agent = await console.agent('a');
  const usage = usageOf({ epoch: 'e', windowNumber: 1, creditBudget: 1 }, { actualTps: 9_900 });
  await agent.heartbeat({ runningJobs: 1, usage });
  await restart(86_400_000);
  await clock.advance(60_000);
  expect(console.context.alarms.active()).toEqual([]);
});

test('the chart goes on after a restart, with a gap for the time that the console was away', async () => {
  await clock.advance(91_000);
  await restart(70_000);
  await clock.advance(30_000);
  const { totalTps } = (await readMonitor(console.context)).series;
  expect(totalTps.slice(-6)).toEqual([0, 0, 0, null, null, 0]);
});

test('revoked agents stay revoked', async () => {
  const agent = await console.agent('a');
  const hash = agent.live.credentialHash;
  console.context.fleet.revoke(agent.live, 'admin');
  await console.storage.agents.save([{ ...agent.live, revoked: true }]);
  await restart(1_000);
  expect(console.context.fleet.byCredential(hash)).toBeUndefined();
});
