import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readHistory } from '../../src/actions/read-history.ts';
import { readMonitor } from '../../src/actions/read-monitor.ts';
import { revokeAgent } from '../../src/actions/revoke-agent.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { TestConsole, usageOf } from '../support/test-console.ts';

let folder: string;
let console: TestConsole;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-events-'));
  console = await TestConsole.start({ path: join(folder, 'weir.db') });
});
afterEach(async () => {
  await console.stop();
  await rm(folder, { recursive: true });
});

const kinds = async () => (await readMonitor(console.context)).events.map(({ kind }) => kind);
const usage = (windowNumber: number, actualTps: number) =>
  usageOf({ epoch: 'e', windowNumber, creditBudget: 300_000 }, { actualTps });

test('the monitor tells who joined, left and was paused, and when the limit changed, in the order of time', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  await a.heartbeat();
  await console.clock.advance(5_000);
  await saveGovernorSettings(console.context, { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: 5_000 }, 'test');
  await a.heartbeat({ holdoff: { remainingMs: 45_000, reason: 'SlowDown', jobId: null } });
  await console.clock.advance(5_000);
  await revokeAgent(console.context, b.agentId, 'test');
  await console.clock.advance(5_000);
  expect((await readMonitor(console.context)).events).toMatchObject([
    { kind: 'agents-joined', agents: 2, names: ['a', 'b'] },
    { kind: 'limit-changed', fromTps: 10_000, toTps: 5_000 },
    { kind: 'holdoff', names: ['a'], longestMs: 40_000 },
    { kind: 'agents-left', names: ['b'] },
  ]);
});

test('an alarm leaves a mark where it was raised and one where it ended', async () => {
  const a = await console.agent('a');
  await a.heartbeat({ runningJobs: 1, usage: usage(1, 9_900) });
  const raisedAtMs = console.clock.nowMs();
  await console.clock.advance(5_000);
  await a.heartbeat({ runningJobs: 1, usage: usage(2, 100) });
  await console.clock.advance(65_000);
  const alarms = (await readMonitor(console.context)).events.filter(({ kind }) => kind.startsWith('alarm'));
  expect(alarms).toMatchObject([
    { kind: 'alarm-raised', atMs: raisedAtMs, threshold: 95 },
    { kind: 'alarm-ended', endedBy: 'cleared', peakValue: 99 },
  ]);
});

test('samples and events survive a restart, which is an event itself; agents that were online do not join again', async () => {
  const a = await console.agent('a');
  for (let n = 1; n <= 3; n += 1) {
    await a.heartbeat({ runningJobs: 1, usage: usage(n, 1_000 * n) });
    await console.clock.advance(30_000);
  }
  const before = await readMonitor(console.context);
  const { clock } = console;
  await console.stop();
  console = await TestConsole.start({ clock, path: join(folder, 'weir.db') });
  await console.clock.advance(5_000);
  expect(await kinds()).toEqual([...before.events.map(({ kind }) => kind), 'console-started']);
  expect((await readMonitor(console.context)).series.totalTps).toEqual(before.series.totalTps);

  await console.known(a.agentId).heartbeat({ runningJobs: 1, usage: usage(4, 4_000) });
  await console.clock.advance(30_000);
  const history = await readHistory(console.context, '6h');
  // Two buckets of two minutes, or one, by where the clock stood: both lives of the console are in them.
  const known = history.series.totalTps.filter((tps) => tps !== null);
  expect(known.length).toBeGreaterThan(0);
  expect(Math.max(...history.series.peakTps.map((tps) => tps ?? 0))).toBe(4_000);
  expect(history.events.map(({ kind }) => kind)).toContain('console-started');
});

test('a limit that was lowered just before a restart makes no peak after it', async () => {
  const a = await console.agent('a');
  await a.heartbeat({ runningJobs: 1, usage: usage(1, 9_000) });
  await console.clock.advance(31_000);
  await saveGovernorSettings(console.context, { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: 5_000 }, 'test');
  const { clock } = console;
  await console.stop();
  console = await TestConsole.start({ clock, path: join(folder, 'weir.db') });
  await console.known(a.agentId).heartbeat({ runningJobs: 1, usage: usage(2, 9_000) });
  expect((await readMonitor(console.context)).utilizationPercent).toBe(90);
  expect(console.context.alarms.active()).toEqual([]);
});

test('every range has its points and steps, and ends with the present', async () => {
  const a = await console.agent('a');
  await a.heartbeat({ runningJobs: 1, usage: usage(1, 500) });
  await console.clock.advance(31_000);
  for (const [range, points, bucketSeconds] of [
    ['6h', 180, 120],
    ['24h', 144, 600],
    ['7d', 168, 3_600],
  ] as const) {
    const history = await readHistory(console.context, range);
    expect(history.bucketSeconds).toBe(bucketSeconds);
    expect(history.series.atMs).toHaveLength(points);
    expect(history.series.totalTps.at(-1)).toBe(500);
    expect(history.series.limitTps.at(-1)).toBe(10_000);
    expect(history.series.agents).toMatchObject([{ name: 'a' }]);
    expect(history.series.agents[0]?.actualTps.at(-1)).toBe(500);
  }
});

test('of a fleet that is larger than the answer may list, the busiest are listed and everybody is counted', async () => {
  for (let n = 0; n < 6; n += 1) {
    const agent = await console.agent(`agent-${n}`);
    await agent.heartbeat(n % 2 === 0 ? { runningJobs: 1, usage: usage(1, 100 * n) } : {});
  }
  const view = await readMonitor(console.context, { rows: 2 });
  expect(view.rows.map(({ name }) => name)).toEqual(['agent-4', 'agent-2', 'console']);
  expect(view).toMatchObject({ matchingAgents: 6, registeredAgents: 6, runningAgents: 3, totalActualTps: 600 });
  const named = await readMonitor(console.context, { name: ' AGENT-3 ' });
  expect(named.rows.map(({ name }) => name)).toEqual(['agent-3', 'console']);
  expect(named).toMatchObject({ matchingAgents: 1, registeredAgents: 6 });
});
