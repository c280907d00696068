import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { enrolAgent } from '../../src/actions/enrol-agent.ts';
import { listAgents } from '../../src/actions/list-agents.ts';
import { listWindows } from '../../src/actions/list-windows.ts';
import { readMonitor } from '../../src/actions/read-monitor.ts';
import { revokeAgent } from '../../src/actions/revoke-agent.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { writeBehind } from '../../src/actions/write-behind.ts';
import { TestConsole, usageOf, type TestAgent } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const limit = (globalLimitTps: number, change: object = {}) =>
  saveGovernorSettings(console.context, { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps, ...change }, 'test');

/** An agent that holds a shard of a job of its own. */
async function working(name: string): Promise<TestAgent> {
  const agent = await console.agent(name);
  await agent.heartbeat();
  await console.job(`job of ${name}`);
  return agent;
}

test('an agent that accepts a job gets an equal split over all online agents at once, and nothing more for the next job', async () => {
  await limit(900);
  const a = await working('a');
  await (await console.agent('b')).heartbeat();
  await (await console.agent('c')).heartbeat();
  const { grant } = await a.claim();
  expect(grant).toMatchObject({ windowNumber: 1, windowSeconds: 30, allocatedTps: 300, creditBudget: 9_000 });
  await console.job('second');
  expect(await a.claim()).toMatchObject({ assignment: { jobName: 'second' }, grant: null });
});

test('a repeated heartbeat gets the same grant and leaves one window record', async () => {
  const a = await working('a');
  const { grant } = await a.claim();
  await console.clock.advance(30_000);
  const report = { runningJobs: 1, usage: usageOf(grant!) };
  const first = await a.heartbeat(report);
  const again = await a.heartbeat(report);
  expect(first.grant?.windowNumber).toBe(2);
  expect(again.grant).toEqual(first.grant);
  const windows = await listWindows(console.context, 10);
  expect(windows).toMatchObject([
    { agentId: a.agentId, windowNumber: 1, creditBudget: grant!.creditBudget, allocatedTps: 10_000 },
  ]);
});

test('a window record says what the console granted, whatever the agent believes', async () => {
  const a = await working('a');
  const { grant } = await a.claim();
  await console.clock.advance(30_000);
  await a.heartbeat({ runningJobs: 1, usage: usageOf(grant!, { creditBudget: 5, chargedOps: 77 }) });
  expect(await listWindows(console.context, 10)).toMatchObject([{ creditBudget: grant!.creditBudget, chargedOps: 77 }]);
});

test('a limit that is changed takes effect with the next heartbeat, and 40 becomes 100', async () => {
  const a = await working('a');
  const { grant } = await a.claim();
  expect((await limit(40)).settings.globalLimitTps).toBe(100);
  await console.clock.advance(30_000);
  const answer = await a.heartbeat({ runningJobs: 1, usage: usageOf(grant!) });
  expect(answer.grant?.allocatedTps).toBeCloseTo(100, 9);
  expect(answer.limiter.settingsVersion).toBe(1);
});

test('agents are told which types are charged, and to run unthrottled when the limiter is off', async () => {
  const a = await working('a');
  expect((await a.heartbeat()).limiter).toEqual({
    mode: 'enforced',
    settingsVersion: 0,
    chargedTypes: ['LIST', 'GET', 'PUT'],
  });
  await limit(1_000, { enabled: false, transactionTypes: { LIST: false, GET: false, PUT: true, DELETE: true } });
  const answer = await a.heartbeat({ runningJobs: 1 });
  expect(answer.limiter).toEqual({ mode: 'off', settingsVersion: 1, chargedTypes: ['PUT', 'DELETE'] });
  expect(answer.grant).toBeNull();
});

test('the monitor shows 300 percent for 4,920 credits that were spent in ten seconds', async () => {
  await limit(164);
  const a = await working('a');
  const { grant } = await a.claim();
  expect(grant).toMatchObject({ allocatedTps: 164, creditBudget: 4_920 });
  await console.clock.advance(30_000);
  await a.heartbeat({ runningJobs: 1, usage: usageOf(grant!, { exhaustedMs: 20_000, actualTps: 492, parkedOps: 7 }) });
  const view = await readMonitor(console.context);
  expect(view).toMatchObject({ totalActualTps: 492, utilizationPercent: 300, runningAgents: 1, registeredAgents: 1 });
  expect(view.rows[0]).toMatchObject({
    name: 'a',
    actualTps: 492,
    efficiencyPercent: 300,
    parkedOps: 7,
    exhaustedMs: 20_000,
  });
});

test('the console has a row that is always idle and has no share', async () => {
  await console.agent('a');
  const rows = (await readMonitor(console.context)).rows;
  expect(rows.map(({ name }) => name)).toEqual(['a', 'console']);
  expect(rows[1]).toMatchObject({
    kind: 'console',
    status: 'idle',
    actualTps: 0,
    allocatedTps: 0,
    efficiencyPercent: null,
  });
});

test('an agent that goes silent is offline after three windows, adds nothing to the total, and is a gap in the chart', async () => {
  const [a, b] = [await working('a'), await working('b')];
  const [first, second] = [await a.claim(), await b.claim()];
  await console.clock.advance(29_000);
  await a.heartbeat({ runningJobs: 1, usage: usageOf(first.grant!, { actualTps: 100 }) });
  await b.heartbeat({ runningJobs: 1, usage: usageOf(second.grant!, { actualTps: 50 }) });
  expect((await readMonitor(console.context)).totalActualTps).toBe(150);
  for (let n = 0; n < 4; n += 1) {
    await console.clock.advance(30_000);
    await a.heartbeat({ runningJobs: 1, usage: usageOf({ ...first.grant!, windowNumber: n + 2 }, { actualTps: 100 }) });
  }
  const view = await readMonitor(console.context);
  expect(view).toMatchObject({ totalActualTps: 100, runningAgents: 1, registeredAgents: 2 });
  expect(view.rows[1]).toMatchObject({ status: 'idle', online: false, actualTps: 0 });
  expect(view.series.agents[1]?.actualTps.slice(-4)).toEqual([50, 50, 50, null]);
  expect(view.series.totalTps.slice(-4)).toEqual([150, 150, 150, 100]);
  expect((await listAgents(console.context)).agents.map(({ status }) => status)).toEqual(['running', 'offline']);
});

test('an agent without the limiter is listed as unthrottled and gets no grant', async () => {
  const a = await console.agent('old');
  await a.heartbeat({ limiter: false });
  await console.job();
  expect((await a.claim()).grant).toBeNull();
  expect((await a.heartbeat({ limiter: false, runningJobs: 1 })).grant).toBeNull();
  expect((await readMonitor(console.context)).rows[0]).toMatchObject({ throttled: false, status: 'running' });
});

test('a killed agent gives its share to the others within three windows', async () => {
  await limit(1_000);
  const [a, b] = [await working('a'), await working('b')];
  let grant = (await a.claim()).grant!;
  const { grant: other } = await b.claim();
  expect(other?.allocatedTps).toBe(500);
  for (let n = 0; n < 6; n += 1) {
    await console.clock.advance(30_000);
    grant = (await a.heartbeat({ runningJobs: 1, usage: usageOf(grant) })).grant!;
  }
  expect(grant.allocatedTps).toBeGreaterThan(750);
});

test('revoking an agent gives its share away and counts it no more', async () => {
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  await a.heartbeat();
  await b.heartbeat();
  await revokeAgent(console.context, a.agentId, 'test');
  await console.job();
  expect((await b.claim()).grant?.allocatedTps).toBe(10_000);
  expect((await readMonitor(console.context)).registeredAgents).toBe(1);
  await expect(revokeAgent(console.context, 'agt_0', 'test')).rejects.toMatchObject({ code: 'not-found' });
});

const enrolment = { name: 'a', host: 'h', version: '1', protocolVersion: 1 };

test('a name that is online is taken; an agent that is offline enrols again under its id with a new credential', async () => {
  const first = await enrolAgent(console.context, enrolment);
  await expect(enrolAgent(console.context, enrolment)).rejects.toMatchObject({
    code: 'name-taken',
    fields: [{ field: 'name' }],
  });
  await expect(enrolAgent(console.context, { ...enrolment, name: 'console' })).rejects.toMatchObject({
    code: 'name-taken',
  });
  await console.clock.advance(90_001);
  const second = await enrolAgent(console.context, enrolment);
  expect(second.agentId).toBe(first.agentId);
  expect(second.credential).not.toBe(first.credential);
  expect((await console.storage.agents.all()).map(({ name }) => name)).toEqual(['a']);
});

test('a heartbeat touches no database', async () => {
  const a = await working('a');
  const { grant } = await a.claim();
  const { storage } = console.context;
  const touched: PropertyKey[] = [];
  const watched = new Proxy(storage, {
    get(target, name: keyof typeof storage) {
      touched.push(name);
      return target[name];
    },
  });
  Object.assign(console.context, { storage: watched });
  await a.heartbeat({ runningJobs: 1, usage: usageOf(grant!, { actualTps: 10 }) });
  expect(touched).toEqual([]);
  Object.assign(console.context, { storage });
});

test('what could not be written behind is written the next time', async () => {
  const a = await working('a');
  const { grant } = await a.claim();
  await a.heartbeat({ runningJobs: 1, usage: usageOf(grant!) });
  const { storage } = console.context;
  const broken = { ...storage, transaction: () => Promise.reject(new Error('disk full')) };
  Object.assign(console.context, { storage: broken });
  await expect(writeBehind(console.context)).rejects.toThrow('disk full');
  Object.assign(console.context, { storage });
  expect(await listWindows(console.context, 10)).toHaveLength(1);
  expect((await storage.agents.all())[0]?.lastHeartbeatAtMs).toBe(console.clock.nowMs());
});

test('an agent that was revoked while its request was read does not come back into the split', async () => {
  const a = await working('a');
  const held = await a.take();
  await revokeAgent(console.context, a.agentId, 'test');
  const refusal = { code: 'agent-revoked', message: expect.stringContaining('was revoked by test:') };
  await expect(a.heartbeat({ runningJobs: 1 })).rejects.toMatchObject(refusal);
  await expect(a.report(held)).rejects.toMatchObject(refusal);
  expect(console.context.coordinator.snapshot(console.clock.steadyMs())).toEqual([]);
});

test('credentials are stored hashed', async () => {
  const { credential } = await enrolAgent(console.context, enrolment);
  expect(JSON.stringify(await console.storage.agents.all())).not.toContain(credential);
});

test('an agent of a version that is no longer spoken is refused by name of the field', async () => {
  const context = { ...console.context, limits: { ...console.context.limits, oldestProtocolVersion: 2 } };
  await expect(enrolAgent(context, enrolment)).rejects.toMatchObject({
    code: 'protocol-too-old',
    fields: [{ field: 'protocolVersion' }],
  });
});

test('no more agents enrol than the console may have; those that were revoked, or enrol again, need no room', async () => {
  const full = { ...console.context, limits: { ...console.context.limits, maxAgents: 2 } };
  const [first] = [
    await enrolAgent(full, { ...enrolment, name: 'a' }),
    await enrolAgent(full, { ...enrolment, name: 'b' }),
  ];
  await expect(enrolAgent(full, { ...enrolment, name: 'c' })).rejects.toMatchObject({ code: 'too-many-agents' });
  await console.clock.advance(91_000);
  await enrolAgent(full, { ...enrolment, name: 'b' });
  await expect(enrolAgent(full, { ...enrolment, name: 'c' })).rejects.toMatchObject({ code: 'too-many-agents' });
  await revokeAgent(full, first.agentId, 'test');
  await enrolAgent(full, { ...enrolment, name: 'c' });
  expect(console.context.fleet.registered().map(({ name }) => name)).toEqual(expect.arrayContaining(['b', 'c']));
});

test('samples and windows are kept for eight days and then pruned', async () => {
  const a = await working('a');
  const { grant } = await a.claim();
  await console.clock.advance(30_000);
  await a.heartbeat({ runningJobs: 1, usage: usageOf(grant!) });
  await console.clock.advance(31_000);
  const beginMs = console.clock.nowMs() - 120_000;
  expect(await listWindows(console.context, 10)).toHaveLength(1);
  expect((await console.storage.history.samplesSince(beginMs)).length).toBeGreaterThanOrEqual(2);
  console.clock.jumpWall(8 * 86_400_000);
  await console.clock.advance(120_000);
  expect(await listWindows(console.context, 10)).toEqual([]);
  const left = await console.storage.history.samplesSince(beginMs);
  expect(left.every(({ atMs }) => atMs > beginMs + 86_400_000)).toBe(true);
});
