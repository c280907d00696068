import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allocationWhy, DEFAULT_GOVERNOR_SETTINGS, type GovernorSettings, type Grant } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { explainAllocation } from '../../src/actions/explain-allocation.ts';
import { listWindows } from '../../src/actions/list-windows.ts';
import { readHistory } from '../../src/actions/read-history.ts';
import { readMonitor } from '../../src/actions/read-monitor.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { TestConsole, usageOf, type TestAgent } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const DOCUMENTED = {
  enabled: true,
  globalLimitTps: 9_000,
  transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: false },
  alarmThresholdPercent: 95,
};
const save = (change: Partial<GovernorSettings>) =>
  saveGovernorSettings(console.context, { ...DOCUMENTED, ...change }, 'test');

/** An agent with a running job, and how much it wants. */
class Worker {
  grant: Grant | null = null;
  readonly agent: TestAgent;
  readonly demandTps: number;

  constructor(agent: TestAgent, demandTps: number) {
    this.agent = agent;
    this.demandTps = demandTps;
  }

  /** Ends its window: it spent what it wanted, or all it had. */
  async beat(): Promise<void> {
    const usage = this.grant === null ? null : this.#usage(this.grant);
    this.grant = (await this.agent.heartbeat({ runningJobs: 1, usage })).grant;
  }

  #usage(grant: Grant): ReturnType<typeof usageOf> {
    const wanted = this.demandTps * 30;
    const chargedOps = Math.min(wanted, grant.creditBudget);
    const meanTps = chargedOps / 30;
    return usageOf(grant, { chargedOps, meanTps, actualTps: this.demandTps });
  }
}

async function workers(demands: readonly number[]): Promise<Worker[]> {
  const all = [];
  for (const [index, demandTps] of demands.entries()) {
    const worker = new Worker(await console.agent(`a${index}`), demandTps);
    await worker.agent.heartbeat();
    all.push(worker);
  }
  return all;
}

async function windows(count: number, all: readonly Worker[]): Promise<void> {
  for (let window = 0; window < count; window += 1) {
    for (const worker of all) await worker.beat();
    await console.clock.advance(30_000);
  }
}

test('a change that does not mention a setting keeps it, and an old database gets the defaults', async () => {
  await save({ allocationPolicy: 'max-min', overshootGuard: true });
  const saved = await save({ globalLimitTps: 4_000 });
  expect(saved.settings).toEqual({
    ...DEFAULT_GOVERNOR_SETTINGS,
    globalLimitTps: 4_000,
    allocationPolicy: 'max-min',
    overshootGuard: true,
  });
  await console.storage.settings.saveGovernor({ ...saved, settings: DOCUMENTED });
  expect((await save({ globalLimitTps: 3_000 })).settings).toEqual({
    ...DEFAULT_GOVERNOR_SETTINGS,
    globalLimitTps: 3_000,
  });
});

test('settings that do not fit together are refused by name and change nothing', async () => {
  const before = console.context.governor;
  await expect(save({ jobShares: [{ jobId: 'job_1', weight: 2, minimumTps: 0 }] })).rejects.toMatchObject({
    code: 'validation-failed',
    fields: [{ field: 'jobShares' }],
  });
  expect(console.context.governor).toBe(before);
  expect(await console.storage.settings.governor()).toBeUndefined();
});

test('agents are told of costs, pacing and the safe rate, and of nothing that is as documented', async () => {
  const agent = await console.agent('a');
  await save({});
  expect(Object.keys((await agent.heartbeat()).limiter)).toEqual(['mode', 'settingsVersion', 'chargedTypes']);
  await save({
    costModel: 'per-request',
    pacing: { mode: 'paced', burstSeconds: 0.1 },
    consoleLost: { mode: 'safe-rate', safeTps: 25 },
  });
  expect((await agent.heartbeat()).limiter).toMatchObject({
    costModel: 'per-request',
    pacing: { burstSeconds: 0.1 },
    safeTps: 25,
  });
});

test('max-min gives the one hungry agent of ten what the others leave, in two windows, also when it is switched to later', async () => {
  const all = await workers([20_000, ...Array.from({ length: 9 }, () => 50)]);
  await save({});
  await windows(12, all);
  const documented = all[0]?.grant?.allocatedTps ?? 0;
  expect(documented).toBeLessThan(0.6 * 9_000);
  await save({ allocationPolicy: 'max-min' });
  await windows(2, all);
  expect(all[0]?.grant?.allocatedTps ?? 0).toBeGreaterThan(0.985 * (9_000 - 450));
  const sum = all.reduce((total, { grant }) => total + (grant?.allocatedTps ?? 0), 0);
  expect(sum).toBeLessThanOrEqual(9_000 * (1 + 1e-9));
});

test('jobs with a weight or a minimum have them counted for the agents that work on them', async () => {
  const all = await workers([50_000, 50_000, 50_000]);
  const jobs = [];
  for (const [index, worker] of all.entries()) {
    jobs.push(await console.job(`job ${index}`));
    await worker.agent.take();
  }
  await save({
    allocationPolicy: 'max-min',
    jobShares: [
      { jobId: jobs[0] ?? '', weight: 3, minimumTps: 0 },
      { jobId: jobs[1] ?? '', weight: 1, minimumTps: 5_000 },
    ],
  });
  await windows(3, all);
  expect(all.map(({ grant }) => Math.round(grant?.allocatedTps ?? 0))).toEqual([3_000, 5_000, 1_000]);
});

test('a schedule sets the limit by the hour, and the chart’s limit follows', async () => {
  const all = await workers([50_000]);
  const at = new Date(console.clock.nowMs());
  const minute = (offset: number): string => new Date(at.getTime() + offset * 60_000).toISOString().slice(11, 16);
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
  const rule = { days: [...days], from: minute(3), to: minute(6), limitTps: 600 };
  await save({ limitSchedule: { timeZone: 'UTC', rules: [rule] } });
  const limits: number[] = [];
  for (let window = 0; window < 16; window += 1) {
    await windows(1, all);
    limits.push((await readMonitor(console.context)).globalLimitTps);
  }
  expect(new Set(limits)).toEqual(new Set([9_000, 600]));
  expect(limits.filter((tps) => tps === 600)).toHaveLength(6);
  expect(limits.at(-1)).toBe(9_000);
});

test('each SlowDown lowers the limit of the fleet once a window, down to the floor, and quiet windows raise it again', async () => {
  const [first, second] = await workers([50_000, 50_000]);
  if (first === undefined || second === undefined) throw new Error('no workers');
  await save({ slowDownReaction: { mode: 'lower-limit', floorTps: 3_000 } });
  const holdoff = { remainingMs: 20_000, reason: 'SlowDown', jobId: null };
  await first.agent.heartbeat({ holdoff });
  await second.agent.heartbeat({ holdoff });
  expect(console.context.governing.limitTps).toBe(6_300);
  for (let window = 0; window < 3; window += 1) {
    await console.clock.advance(30_000);
    await first.agent.heartbeat({ holdoff: null });
    await first.agent.heartbeat({ holdoff });
  }
  expect(console.context.governing.limitTps).toBe(3_000);
  await console.clock.advance(30_000 * 5 + 1_000);
  expect(console.context.governing.limitTps).toBe(3_000 + 5 * 450);
  await console.clock.advance(30_000 * 20);
  expect(console.context.governing.limitTps).toBe(9_000);
  await save({ slowDownReaction: { mode: 'off', floorTps: 100 } });
  await first.agent.heartbeat({ holdoff: null });
  await first.agent.heartbeat({ holdoff });
  expect(console.context.governing.limitTps).toBe(9_000);
});

test('the chart keeps the limit that is set beside the one in force while clusters ask for less, also over hours', async () => {
  const [worker] = await workers([50_000]);
  if (worker === undefined) throw new Error('no worker');
  await save({ slowDownReaction: { mode: 'lower-limit', floorTps: 3_000 } });
  await windows(3, [worker]);
  await worker.agent.heartbeat({ holdoff: { remainingMs: 1_000, reason: 'SlowDown', jobId: null } });
  await windows(4, [worker]);
  const { series } = await readMonitor(console.context);
  const pairs = series.limitTps.map((tps, point) => [tps, series.setLimitTps[point]]).filter(([tps]) => tps !== null);
  expect(pairs).toContainEqual([9_000, 9_000]);
  expect(pairs.some(([tps]) => (tps ?? 0) < 9_000)).toBe(true);
  expect(new Set(pairs.map(([, set]) => set))).toEqual(new Set([9_000]));
  const hours = (await readHistory(console.context, '6h')).series;
  const lowest = Math.min(...pairs.map(([tps]) => tps ?? Number.POSITIVE_INFINITY));
  expect(Math.min(...hours.limitTps.filter((tps) => tps !== null))).toBe(lowest);
  expect(hours.setLimitTps.filter((tps) => tps !== null).every((tps) => tps === 9_000)).toBe(true);
});

test('budget that idles for three windows beside a hungry agent raises CV-TPS-002; max-min ends it', async () => {
  const all = await workers([20_000, ...Array.from({ length: 9 }, () => 50)]);
  await save({ alarmThresholdPercent: 100 });
  await windows(8, all);
  const codes = () => console.context.alarms.active().map(({ code }) => code);
  expect(codes()).toContain('CV-TPS-002');
  const alarm = console.context.alarms.active().find(({ code }) => code === 'CV-TPS-002');
  expect(alarm?.peakValue).toBeGreaterThan(40);
  await save({ alarmThresholdPercent: 100, allocationPolicy: 'max-min' });
  await windows(8, all);
  expect(codes()).not.toContain('CV-TPS-002');
});

test('an agent cannot claim more than its grant: totals, alarm and history are cut to it', async () => {
  const [worker] = await workers([100]);
  if (worker === undefined) throw new Error('no worker');
  await save({ globalLimitTps: 1_000 });
  await worker.beat();
  const grant = worker.grant;
  if (grant === null) throw new Error('no grant');
  await console.clock.advance(30_000);
  const lie = { chargedOps: 1e12, actualTps: 1e9, meanTps: 1e9, peakSecondTps: 1e9 };
  await worker.agent.heartbeat({ runningJobs: 1, usage: usageOf(grant, lie) });
  expect(console.context.fleet.totalActualTps).toBeLessThanOrEqual(grant.creditBudget);
  expect(await listWindows(console.context, 10)).toMatchObject([{ chargedOps: grant.creditBudget }]);
});

test('windows that nobody granted are not believed; one of an earlier life of this console is, once for each agent', async () => {
  const [worker] = await workers([100]);
  if (worker === undefined) throw new Error('no worker');
  for (let windowNumber = 1; windowNumber <= 5; windowNumber += 1) {
    const made = usageOf({ epoch: 'epoch_invented', windowNumber, creditBudget: 500 });
    await worker.agent.heartbeat({ runningJobs: 1, usage: made });
  }
  expect(await listWindows(console.context, 10)).toEqual([]);
});

test('a window that an earlier life of this console granted is kept, once for each agent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-lives-'));
  const path = join(folder, 'weir.db');
  const first = await TestConsole.start({ path });
  const agent = await first.agent('a');
  const { grant } = await agent.heartbeat({ runningJobs: 1 });
  await first.stop();
  const second = await TestConsole.start({ path });
  try {
    if (grant === null) throw new Error('no grant');
    const again = second.known(agent.agentId);
    await again.heartbeat({ runningJobs: 1, usage: usageOf(grant, { chargedOps: 7 }) });
    await again.heartbeat({ runningJobs: 1, usage: usageOf({ ...grant, windowNumber: 99 }) });
    const kept = await listWindows(second.context, 10);
    expect(kept).toMatchObject([{ epoch: grant.epoch, windowNumber: grant.windowNumber, chargedOps: 7 }]);
  } finally {
    await second.stop();
    await rm(folder, { recursive: true });
  }
});

test('every grant is explained by the numbers that made it, for this window and the one before', async () => {
  const all = await workers([20_000, 100, 100]);
  await save({});
  await windows(1, all);
  const id = all[0]?.agent.agentId ?? '';
  expect(explainAllocation(console.context, id)).toMatchObject({
    agentId: id,
    grants: [
      { windowNumber: 1, ageMs: 30_000, computedCredits: 90_000, reason: { rule: 'first-grant', onlineAgents: 3 } },
    ],
  });
  await windows(1, all);
  const [now, before] = explainAllocation(console.context, id).grants;
  expect(now?.reason).toMatchObject({ rule: 'reclaim', appetite: 'hungry', baseTps: 3_000, runsWithTps: 3_000 });
  expect(before?.windowNumber).toBe(1);
  await save({ allocationPolicy: 'max-min' });
  await windows(2, all);
  const [fair] = explainAllocation(console.context, id).grants;
  expect(fair?.reason).toMatchObject({ rule: 'max-min', wants: 'use', useTps: 20_000, hungryAgents: 1 });
  for (const { reason, creditBudget } of explainAllocation(console.context, id).grants) {
    expect(Math.floor(reason.shareTps * 30)).toBe(creditBudget);
  }
  expect(allocationWhy.safeParse(explainAllocation(console.context, id)).error).toBeUndefined();
  expect(() => explainAllocation(console.context, 'agt_0')).toThrow('There is no agent');
});
