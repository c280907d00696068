import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { heartbeat, HttpConsole } from '../support/running-console.ts';
import { usageOf } from '../support/test-console.ts';

const clock = new FakeClock();
let console: HttpConsole;
let cookie: string;
beforeAll(async () => {
  console = await HttpConsole.start({}, clock);
  cookie = await console.login();
});
afterAll(() => console.stop());

const beat = (bearer: string, change: object = {}) =>
  console.call('POST', '/api/v1/agent/heartbeat', { bearer, body: heartbeat(change) });
const claim = (bearer: string, waitSeconds = 0, signal?: AbortSignal) =>
  console.call('POST', '/api/v1/agent/claims', {
    bearer,
    body: { waitSeconds },
    ...(signal === undefined ? {} : { signal }),
  });

/** Lets the console finish what was sent to it: the real network is between. */
async function until(reached: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setImmediate(resolve));
}
const metric = async (name: string) => {
  const { text } = await console.call('GET', '/metrics', { bearer: console.running.metricsToken });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

test('D7: accepting a job grants an equal split of the budget over all online agents at once', async () => {
  const [a, b] = [await console.enrol('d7-a'), await console.enrol('d7-b')];
  await beat(a.credential);
  await beat(b.credential);
  const waiting = claim(a.credential, 25);
  await until(async () => (await metric('weir_claims_waiting')) === 1);
  const jobId = await console.job(cookie);
  const { body } = await waiting;
  expect(body.assignment).toMatchObject({ jobId, splitInto: 24 });
  expect(body.grant).toMatchObject({ windowNumber: 1, windowSeconds: 30, allocatedTps: 5_000, creditBudget: 150_000 });
  expect(body.limiter).toEqual({ mode: 'enforced', settingsVersion: 0, chargedTypes: ['LIST', 'GET', 'PUT'] });
});

test('D2: a repeated report gets the same grant, an early one credits for the time that passed, a late one one window', async () => {
  const { credential } = await console.enrol('d2');
  const first = (await beat(credential, { runningJobs: 1 })).body.grant;
  expect(first.windowNumber).toBe(1);
  await clock.advance(30_000);
  const report = { runningJobs: 1, usage: usageOf(first) };
  const second = (await beat(credential, report)).body.grant;
  expect(second).toMatchObject({ windowNumber: 2, windowSeconds: 30 });
  expect((await beat(credential, report)).body.grant).toEqual(second);

  await clock.advance(10_000);
  const early = (await beat(credential, { runningJobs: 1, usage: usageOf(second) })).body.grant;
  expect(early).toMatchObject({ windowNumber: 3, windowSeconds: 10 });
  expect(early.creditBudget).toBe(Math.floor(early.allocatedTps * 10));

  await clock.advance(75_000);
  const late = (await beat(credential, { runningJobs: 1, usage: usageOf(early) })).body.grant;
  expect(late).toMatchObject({ windowNumber: 4, windowSeconds: 30 });
  expect(late.creditBudget).toBe(Math.floor(late.allocatedTps * 30));
});

test('D3: after the console was lost the agent goes on with its credential and gets the next grant under a new epoch', async () => {
  const { credential } = await console.enrol('d3');
  const before = (await beat(credential, { runningJobs: 1 })).body.grant;
  await console.running.stop();
  await expect(beat(credential)).rejects.toThrow('fetch failed');
  await console.restart({}, clock);
  const after = (await beat(credential, { runningJobs: 1, usage: usageOf(before) })).body.grant;
  expect(after.epoch).not.toBe(before.epoch);
  expect(after.windowNumber).toBeGreaterThan(0);
});

test('settings that are changed reach an agent with its next heartbeat', async () => {
  const { credential } = await console.enrol('settings');
  const body = {
    enabled: true,
    globalLimitTps: 40,
    transactionTypes: { LIST: false, GET: true, PUT: true, DELETE: false },
    alarmThresholdPercent: 95,
  };
  const saved = (await console.call('PUT', '/api/v1/settings/governor', { cookie, body })).body;
  expect(saved).toMatchObject({ changedBy: 'admin', settings: { globalLimitTps: 100 } });
  const answer = (await beat(credential, { runningJobs: 1 })).body;
  expect(answer.limiter).toEqual({ mode: 'enforced', settingsVersion: saved.version, chargedTypes: ['GET', 'PUT'] });
  expect(answer.grant.allocatedTps).toBeLessThanOrEqual(100);
});

test('an agent that goes away while it waits loses no work', async () => {
  const [gone, stays] = [await console.enrol('gone'), await console.enrol('stays')];
  while ((await claim(stays.credential)).body.assignment !== null);
  const leaving = new AbortController();
  const lost = claim(gone.credential, 25, leaving.signal).catch(() => 'went away');
  await until(async () => (await metric('weir_claims_waiting')) === 1);
  leaving.abort();
  expect(await lost).toBe('went away');
  await until(async () => (await metric('weir_claims_waiting')) === 0);
  const jobId = await console.job(cookie, 'for who stays');
  expect((await claim(stays.credential)).body.assignment.jobId).toBe(jobId);
});

test('two agents never get the same shard, however many claim at once', async () => {
  for (let n = 0; n < 5; n += 1) await console.job(cookie, `rush ${n}`);
  const agents = await Promise.all(Array.from({ length: 8 }, (_, n) => console.enrol(`rush-${n}`)));
  const answers = await Promise.all(agents.map(({ credential }) => claim(credential)));
  const shards = answers.flatMap(({ body }) => (body.assignment === null ? [] : [body.assignment.shardId]));
  expect(shards).toHaveLength(5);
  expect(new Set(shards).size).toBe(5);
});

test('a revoked agent is refused with its next call, and its waiting claim ends', async () => {
  const { agentId, credential } = await console.enrol('revoked');
  const waiting = claim(credential, 25);
  await until(async () => (await metric('weir_claims_waiting')) === 1);
  await console.call('POST', `/api/v1/agents/${agentId}/revoke`, { cookie });
  expect((await waiting).body.assignment).toBeNull();
  expect((await beat(credential)).body).toEqual({
    error: {
      code: 'agent-revoked',
      message: 'The agent revoked was revoked by admin: it has to enrol again to be let in.',
    },
  });
});

test('the monitor shows what was reported, and the windows are listed newest first', async () => {
  const { agentId, credential } = await console.enrol('shown');
  const grant = (await beat(credential, { runningJobs: 1 })).body.grant;
  await clock.advance(30_000);
  const usage = usageOf(grant, {
    actualTps: 60,
    chargedOps: 200,
    exhaustedMs: 20_000,
    bytesRead: 30_000_000,
    bytesWritten: 0,
  });
  await beat(credential, { runningJobs: 1, usage });
  const monitor = (await console.call('GET', '/api/v1/monitor', { cookie })).body;
  const row = monitor.rows.find((candidate: { agentId: string }) => candidate.agentId === agentId);
  expect(row).toMatchObject({ name: 'shown', status: 'running', actualTps: 60, actualMbps: 8, chargedOps: 200 });
  expect(monitor.rows.at(-1)).toMatchObject({ agentId: 'console', status: 'idle' });
  expect(monitor.series.atMs).toHaveLength(60);
  const { windows } = (await console.call('GET', '/api/v1/monitor/windows?limit=5', { cookie })).body;
  expect(windows[0]).toMatchObject({
    agentId,
    windowNumber: grant.windowNumber,
    chargedOps: 200,
    creditBudget: grant.creditBudget,
  });
});

test('stopping ends long polls at once and can be asked for twice', async () => {
  const { credential } = await console.enrol('last');
  while ((await claim(credential)).body.assignment !== null);
  const waiting = claim(credential, 25);
  await until(async () => (await metric('weir_claims_waiting')) === 1);
  await Promise.all([console.running.stop(), console.running.stop()]);
  expect((await waiting).body.assignment).toBeNull();
});
