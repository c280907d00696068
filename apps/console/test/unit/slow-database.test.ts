import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROTOCOL_VERSION, quotaInput } from '@weir/protocol';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acknowledgeAlarm } from '../../src/actions/acknowledge-alarm.ts';
import { createWebhook } from '../../src/actions/create-webhook.ts';
import { deleteQuotaStore } from '../../src/actions/delete-quota-store.ts';
import { enrolAgent } from '../../src/actions/enrol-agent.ts';
import { readJob } from '../../src/actions/read-job.ts';
import { readQuotaUsage } from '../../src/actions/read-quota-usage.ts';
import { revokeAgent } from '../../src/actions/revoke-agent.ts';
import { saveQuota } from '../../src/actions/save-quota.ts';
import { takeQuota } from '../../src/actions/take-quota.ts';
import { digestOf } from '../../src/security/digests.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { QueueGame, step } from '../support/queue-game.ts';
import { diskFull, SlowStatements } from '../support/slow-statements.ts';
import { TestConsole, usageOf } from '../support/test-console.ts';

let dir: string;
let console: TestConsole;
let slow: SlowStatements;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-slow-'));
  await start();
});
afterEach(async () => {
  await console.stop();
  await rm(dir, { recursive: true });
});

async function start(clock?: FakeClock): Promise<void> {
  const opened = await SlowStatements.storage(1, join(dir, 'weir.db'));
  ({ slow } = opened);
  console = await TestConsole.start({ storage: opened.storage, clock: clock ?? new FakeClock(() => slow.settled()) });
}

async function restart(): Promise<void> {
  await console.stop();
  await start(console.clock);
}

/** No change can be written from now on; the rest works. Returns how that ends. */
function fillDisk(): () => void {
  slow.fault = (sql) => (/^(insert|update|delete|with saved)/.test(sql) ? diskFull() : undefined);
  return () => void (slow.fault = () => undefined);
}

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
const entries = async (action: string): Promise<number> =>
  (await console.storage.audit.list({ limit: 100, action })).length;

let windowNumber = 0;
/** An agent reports this share of the limit of 10,000 TPS. */
function report(agentId: string, percent: number): Promise<unknown> {
  const grant = { epoch: 'e', windowNumber: (windowNumber += 1), creditBudget: 300_000 };
  return console.known(agentId).heartbeat({ runningJobs: 1, usage: usageOf(grant, { actualTps: percent * 100 }) });
}

test('a database that fails while work is handed out ends no job', async () => {
  const agent = await console.agent('a');
  const jobId = await console.job();
  for (const failing of ['from "endpoints"', 'commit', 'update "jobs"']) {
    slow.fault = (sql) => (sql.includes(failing) ? diskFull() : undefined);
    expect((await agent.claim()).assignment).toBeNull();
    slow.fault = () => undefined;
    expect(await readJob(console.context, jobId)).toMatchObject({ state: 'queued', error: null, shardsRunning: 0 });
  }
  expect((await agent.take()).jobId).toBe(jobId);
});

test('whoever is told that an agent is revoked finds it so after a restart, and it is written down once', async () => {
  const [first, second] = [await console.agent('a'), await console.agent('b')];
  const makeRoom = fillDisk();
  const revoke = (agentId: string): Promise<string> => outcomeOf(revokeAgent(console.context, agentId, 'admin'));
  expect([await revoke(first.agentId), await revoke(first.agentId)]).toEqual(['SQLITE_FULL', 'SQLITE_FULL']);
  makeRoom();
  expect(await Promise.all([1, 2, 3].map(() => revoke(first.agentId)))).toEqual(['done', 'done', 'done']);
  const held = slow.hold();
  let answered = 0;
  const both = [1, 2].map(() => revoke(second.agentId).finally(() => (answered += 1)));
  await slow.settled();
  expect(answered).toBe(0);
  held();
  await Promise.all(both);
  expect(await entries('agent.revoke')).toBe(2);
  await restart();
  expect(console.context.fleet.registered()).toEqual([]);
});

test('an agent that was revoked while the disk was full does not come back, also if nobody asks again', async () => {
  const { agentId } = await console.agent('a');
  const makeRoom = fillDisk();
  expect(await outcomeOf(revokeAgent(console.context, agentId, 'admin'))).toBe('SQLITE_FULL');
  makeRoom();
  await console.clock.advance(2_000);
  await restart();
  expect(console.context.fleet.get(agentId)).toMatchObject({ revoked: true });
});

const enrol = () =>
  enrolAgent(console.context, { name: 'a', host: 'host', version: '1', protocolVersion: PROTOCOL_VERSION });

test('what waits to be written of an agent does not bring its old credential back', async () => {
  await console.agent('a').then((agent) => agent.heartbeat());
  const makeRoom = fillDisk();
  await console.clock.advance(200_000);
  makeRoom();
  const { agentId, credential } = await enrol();
  await console.clock.advance(5_000);
  await restart();
  expect(console.context.fleet.byCredential(digestOf(credential))?.agentId).toBe(agentId);
});

test('an agent that could not enrol anew stays as it was, revoked if somebody did that meanwhile', async () => {
  const agent = await console.agent('a');
  const before = agent.live.credentialHash;
  await console.clock.advance(200_000);
  const makeRoom = fillDisk();
  expect(await outcomeOf(enrol())).toBe('SQLITE_FULL');
  expect(console.context.fleet.byCredential(before)?.agentId).toBe(agent.agentId);
  const held = slow.hold();
  const both = [outcomeOf(enrol()), outcomeOf(revokeAgent(console.context, agent.agentId, 'admin'))];
  held();
  expect(await Promise.all(both)).toEqual(['SQLITE_FULL', 'SQLITE_FULL']);
  makeRoom();
  await console.clock.advance(2_000);
  expect(console.context.fleet.byCredential(before)).toBeUndefined();
  await restart();
  expect(console.context.fleet.get(agent.agentId)).toMatchObject({ revoked: true, credentialHash: before });
});

test('of two agents that enrol under one name at once one is refused', async () => {
  const both = await Promise.all([outcomeOf(enrol()), outcomeOf(enrol())]);
  expect(both.sort()).toEqual(['done', 'name-taken']);
});

test('a heartbeat is answered while the database stands still, also one that raises an alarm or is of a new process', async () => {
  const agent = await console.agent('a');
  const { agentId } = agent;
  await console.job();
  await agent.heartbeat();
  await agent.take();
  const held = slow.hold();
  await report(agentId, 99);
  expect(console.context.alarms.active()).toHaveLength(1);
  await agent.heartbeat({ bootId: 'boot-2' });
  expect(console.context.leases.held()).toHaveLength(1);
  held();
  await console.context.pending.done();
  expect(await console.storage.alarms.list(10)).toMatchObject([{ firings: 1, endedAtMs: null }]);
  expect(console.context.leases.held()).toEqual([]);
});

test('an alarm that fires while somebody acknowledges it stays acknowledged, also after a restart', async () => {
  const { agentId } = await console.agent('a');
  // Not in step with the engine's own tick: a heartbeat is to let it fire again.
  await console.clock.advance(5_000);
  for (let n = 0; n < 10; n += 1) {
    await report(agentId, 99);
    await console.clock.advance(30_000);
  }
  const [alarm] = console.context.alarms.active();
  const held = slow.hold();
  const acknowledging = acknowledgeAlarm(console.context, alarm?.alarmId ?? '', 'admin');
  await report(agentId, 99.5);
  held();
  await acknowledging;
  await console.context.pending.done();
  const expected = { firings: 2, acknowledgedBy: 'admin' };
  expect(await console.storage.alarms.list(10)).toMatchObject([expected]);
  expect(console.context.alarms.active()).toMatchObject([expected]);
  await restart();
  expect(console.context.alarms.active()).toMatchObject([expected]);
});

test('an alarm whose acknowledgement could not be written is not acknowledged', async () => {
  const { agentId } = await console.agent('a');
  await report(agentId, 99);
  await console.context.pending.done();
  const [alarm] = console.context.alarms.active();
  const acknowledge = (): Promise<string> =>
    outcomeOf(acknowledgeAlarm(console.context, alarm?.alarmId ?? '', 'admin'));
  const makeRoom = fillDisk();
  expect(await acknowledge()).toBe('SQLITE_FULL');
  expect(console.context.alarms.active()).toMatchObject([{ acknowledgedBy: null }]);
  makeRoom();
  expect(await Promise.all([acknowledge(), acknowledge()])).toEqual(['done', 'done']);
  expect(console.context.alarms.active()).toMatchObject([{ acknowledgedBy: 'admin' }]);
  expect(await entries('alarm.acknowledge')).toBe(1);
});

test('the mark of an alarm that ended says how it ended, although that is not written yet', async () => {
  const { agentId } = await console.agent('a');
  await report(agentId, 99);
  await console.clock.advance(61_000);
  await report(agentId, 10);
  const held = slow.hold();
  await console.clock.advance(65_000);
  held();
  await slow.settled();
  await console.clock.advance(10_000);
  const ends = console.context.history.events.since(0).filter(({ kind }) => kind === 'alarm-ended');
  expect(ends).toMatchObject([{ endedBy: 'cleared' }]);
});

test('a message is sent once although the disk is full when its answer comes, and so is one to a webhook beside it', async () => {
  const hook = { format: 'json', reminders: false } as const;
  await createWebhook(console.context, { ...hook, name: 'quick', secretUrl: 'https://quick.example/' }, 'admin');
  await createWebhook(console.context, { ...hook, name: 'hangs', secretUrl: 'https://hangs.example/' }, 'admin');
  const { agentId } = await console.agent('a');
  const release = console.webhooks.hold('https://hangs.example/');
  await report(agentId, 99);
  await console.context.pending.done();
  const makeRoom = fillDisk();
  await console.clock.advance(10_000);
  release();
  await console.clock.advance(20_000);
  expect(console.webhooks.received.map(({ url }) => url).sort()).toEqual([
    'https://hangs.example/',
    'https://quick.example/',
  ]);
  makeRoom();
  await console.clock.advance(5_000);
  expect(console.webhooks.received).toHaveLength(2);
  expect(await console.storage.webhooks.deliveries(10)).toMatchObject([
    { state: 'delivered', attempts: 1 },
    { state: 'delivered', attempts: 1 },
  ]);
});

test('a report that the database keeps waiting keeps its lease', async () => {
  const agent = await console.agent('a');
  await console.job();
  const assignment = await agent.take();
  await console.clock.advance(60_000);
  const held = slow.hold();
  const reporting = agent.report(assignment);
  await console.clock.advance(60_000);
  held();
  expect(await reporting).toEqual({ desired: 'run' });
  await slow.settled();
  expect(console.context.leases.held()).toHaveLength(1);
  expect(await agent.report(assignment)).toEqual({ desired: 'run' });
});

test('minutes of quotas that could not be written are written later', async () => {
  const input = quotaInput.parse({ storeId: 'memory', quota: 'api', limit: 3, period: { unit: 'hour', count: 1 } });
  await console.clock.advance(0);
  const { definitionId } = await saveQuota(console.context, null, input, 'admin');
  const makeRoom = fillDisk();
  await takeQuota(console.context, definitionId, 't', 3);
  await console.clock.advance(61_000);
  makeRoom();
  await console.clock.advance(61_000);
  const { series } = await readQuotaUsage(console.context, definitionId);
  expect(series.admitted.reduce<number>((all, n) => all + (n ?? 0), 0)).toBe(1);
});

test('a quota is not defined on a store that is removed at the same moment', async () => {
  const store = { storeId: 'qst_1', name: 'x', kind: 'redis', address: '127.0.0.1:1', username: null } as const;
  const kept = { ...store, sealedPassword: null, createdAtMs: 0, createdBy: 'admin' };
  await console.storage.quotas.insertStore(kept);
  void console.context.quotas.addStore(kept);
  const input = quotaInput.parse({ storeId: 'qst_1', quota: 'api', limit: 3, period: { unit: 'hour', count: 1 } });
  const held = slow.hold();
  const removing = outcomeOf(deleteQuotaStore(console.context, 'qst_1', 'admin'));
  const saving = outcomeOf(saveQuota(console.context, null, input, 'admin'));
  held();
  expect([await removing, await saving]).toEqual(['done', 'validation-failed']);
  expect(await console.storage.quotas.quotas()).toEqual([]);
});

test('whatever agents, operators and time do at once while the database is slow, no shard is held twice and no key is lost', async () => {
  const together = fc.array(step, { minLength: 1, maxLength: 5 });
  const rounds = fc.array(together, { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(rounds, fc.nat(), async (moves, seed) => {
      const { storage, slow } = await SlowStatements.storage(seed);
      const console = await TestConsole.start({ storage, clock: new FakeClock(slow.settled) });
      try {
        const agents = [await console.agent('a'), await console.agent('b'), await console.agent('c')];
        const game = new QueueGame(console, agents, await console.job());
        for (const round of moves) {
          await Promise.all(round.map((move) => game.play(move)));
          await slow.settled();
          await game.check();
        }
        await game.checkFencing();
        expect((await game.finish()).state).toBe('completed');
      } finally {
        await console.stop();
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
