import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acknowledgeAlarm } from '../../src/actions/acknowledge-alarm.ts';
import { readMonitor } from '../../src/actions/read-monitor.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { TestConsole, usageOf, type TestAgent } from '../support/test-console.ts';

let console: TestConsole;
let agent: TestAgent;
let windowNumber: number;

beforeEach(async () => {
  console = await TestConsole.start();
  agent = await console.agent('a');
  windowNumber = 0;
});
afterEach(() => console.stop());

/** The agent reports this share of the limit of 10,000 TPS. */
async function report(percent: number): Promise<void> {
  const grant = { epoch: 'e', windowNumber: (windowNumber += 1), creditBudget: 300_000 };
  await agent.heartbeat({ runningJobs: 1, usage: usageOf(grant, { actualTps: percent * 100 }) });
  await console.context.pending.done();
}

/** A minute at this share: two heartbeats and the tick of the alarm engine. */
async function minute(percent: number): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    await report(percent);
    await console.clock.advance(30_000);
  }
}

const active = () => console.context.alarms.active();
const history = () => console.storage.alarms.list(10);

test('the alarm fires above the threshold and not at it', async () => {
  await report(95);
  expect(active()).toEqual([]);
  await report(95.1);
  expect(active()).toMatchObject([
    { code: 'CV-TPS-001', severity: 'WARNING', threshold: 95, firings: 1, endedAtMs: null },
  ]);
});

test('while it stays high the alarm fires again only after five minutes', async () => {
  await minute(96);
  for (let n = 0; n < 3; n += 1) await minute(99);
  expect(active()).toMatchObject([{ firings: 1, peakValue: 99 }]);
  await minute(98);
  await minute(98);
  expect(active()).toMatchObject([{ firings: 2 }]);
  expect(await history()).toHaveLength(1);
});

test('it clears at the tick of the engine, below 85 percent and not before', async () => {
  await minute(96);
  await minute(86);
  expect(active()).toHaveLength(1);
  await report(84);
  expect(active()).toHaveLength(1);
  await console.clock.advance(60_000);
  expect(active()).toEqual([]);
  expect(await history()).toMatchObject([{ endedBy: 'cleared' }]);
});

test('between the levels it ends ten minutes after its last firing', async () => {
  await report(96);
  const raisedAtMs = console.clock.nowMs();
  for (let n = 0; n < 10; n += 1) await minute(90);
  await report(90);
  expect(active()).toEqual([]);
  const [alarm] = await history();
  expect(alarm).toMatchObject({ endedBy: 'expired' });
  expect((alarm?.endedAtMs ?? 0) - raisedAtMs).toBeGreaterThanOrEqual(600_000);
});

const limitOf = (globalLimitTps: number) =>
  saveGovernorSettings(console.context, { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps }, 'test');

test('a lowered limit raises no alarm over windows that were granted under the higher one', async () => {
  await report(60);
  await limitOf(5_000);
  expect(active()).toEqual([]);
  expect(await readMonitor(console.context)).toMatchObject({
    globalLimitTps: 5_000,
    judgedLimitTps: 10_000,
    utilizationPercent: 60,
  });
  await console.clock.advance(29_000);
  // The window that ran when the limit was lowered ends: it, too, was granted under the higher one.
  await report(60);
  await console.clock.advance(30_000);
  expect(active()).toEqual([]);
  // The first window under the lower limit obeys it.
  await report(40);
  await console.clock.advance(30_000);
  expect(active()).toEqual([]);
  expect(await readMonitor(console.context)).toMatchObject({ judgedLimitTps: 5_000, utilizationPercent: 80 });
  const { series } = await readMonitor(console.context);
  const above = series.totalTps.filter((tps, point) => (tps ?? 0) > (series.limitTps[point] ?? 0));
  expect(above).toEqual([]);
});

test('what is above a lowered limit in windows of its own fires', async () => {
  await report(60);
  await limitOf(5_000);
  for (let n = 0; n < 3; n += 1) {
    await console.clock.advance(30_000);
    await report(49);
  }
  expect(active()).toMatchObject([{ firings: 1, peakValue: 98 }]);
});

test('a limiter that is switched on raises no alarm over windows that ran without one', async () => {
  await saveGovernorSettings(console.context, { ...DEFAULT_GOVERNOR_SETTINGS, enabled: false }, 'test');
  for (let n = 0; n < 3; n += 1) {
    await report(300);
    await console.clock.advance(30_000);
  }
  await limitOf(10_000);
  await report(300);
  await console.clock.advance(29_000);
  expect(active()).toEqual([]);
  expect((await readMonitor(console.context)).utilizationPercent).toBe(0);
});

test('without the limiter nothing fires and the alarm clears', async () => {
  await report(96);
  await saveGovernorSettings(console.context, { ...DEFAULT_GOVERNOR_SETTINGS, enabled: false }, 'test');
  await report(500);
  await console.clock.advance(60_000);
  expect(active()).toEqual([]);
});

test('an acknowledgement names the first who saw it, and lasts to the end of the alarm', async () => {
  await report(96);
  const { alarmId } = active()[0]!;
  expect(await acknowledgeAlarm(console.context, alarmId, 'ann')).toMatchObject({ acknowledgedBy: 'ann' });
  expect(await acknowledgeAlarm(console.context, alarmId, 'bob')).toMatchObject({ acknowledgedBy: 'ann' });
  expect(active()[0]).toMatchObject({ acknowledgedBy: 'ann' });
  await minute(10);
  expect(await history()).toMatchObject([{ acknowledgedBy: 'ann', endedBy: 'cleared' }]);
  await expect(acknowledgeAlarm(console.context, 'alm_0', 'ann')).rejects.toMatchObject({ code: 'not-found' });
});

test('an alarm that is overdue when the clock jumps forward ends, and what is high still is another one', async () => {
  await report(99);
  const [first] = active();
  console.clock.jumpWall(3_600_000);
  await report(97);
  const [second, ...others] = active();
  expect(others).toEqual([]);
  expect(second).toMatchObject({ firings: 1, peakValue: 97, endedAtMs: null, endedBy: null });
  expect(second?.alarmId).not.toBe(first?.alarmId);
  expect(await history()).toMatchObject([
    { alarmId: second?.alarmId, endedAtMs: null },
    { alarmId: first?.alarmId, endedBy: 'expired', peakValue: 99 },
  ]);
});
