import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fleet } from '../../src/fleet/fleet.ts';
import { mbpsOf } from '../../src/fleet/live-agent.ts';
import type { StoredAgent } from '../../src/ports/agent-store.ts';
import { usageOf } from '../support/test-console.ts';

const start = { nowMs: 1_000_000, steadyMs: 1_000_000 };
const at = (ms: number) => ({ nowMs: ms, steadyMs: ms });

function stored(agentId: string, change: Partial<StoredAgent> = {}): StoredAgent {
  return {
    agentId,
    name: agentId,
    host: 'h',
    version: '1',
    protocolVersion: 1,
    limiter: true,
    revoked: false,
    credentialHash: `hash-${agentId}`,
    enrolledAtMs: 0,
    lastHeartbeatAtMs: null,
    bootId: null,
    holdoffUntilMs: null,
    holdoffCount: 0,
    ...change,
  };
}

function request(actualTps: number, runningJobs = 1) {
  const usage = usageOf({ epoch: 'e', windowNumber: 1, creditBudget: 100 }, { actualTps });
  const who = { protocolVersion: 1, version: '1', host: 'h', bootId: 'b', limiter: true };
  return { ...who, runningJobs, usage, holdoff: null };
}

test('the total is the sum of actual TPS over online running agents, however reports and silence mix', async () => {
  const event = fc.record({ agent: fc.nat(4), tps: fc.nat(1_000), running: fc.boolean(), passesMs: fc.nat(60_000) });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 50 }), async (events) => {
      const fleet = new Fleet(
        90_000,
        [0, 1, 2, 3, 4].map((n) => stored(`a${n}`)),
        start,
      );
      const last = new Map<string, { atMs: number; tps: number }>();
      let nowMs = start.nowMs;
      for (const { agent, tps, running, passesMs } of events) {
        nowMs += passesMs;
        const live = fleet.get(`a${agent}`)!;
        fleet.heartbeat(live, request(tps, running ? 1 : 0), at(nowMs));
        last.set(live.agentId, { atMs: nowMs, tps: running ? tps : 0 });
        await fleet.review(nowMs);
        const expected = [...last.values()].reduce(
          (sum, seen) => sum + (nowMs - seen.atMs <= 90_000 ? seen.tps : 0),
          0,
        );
        expect(fleet.totalActualTps).toBeCloseTo(expected, 6);
      }
    }),
  );
});

test('an agent that is given work counts with its last report at once, as its row and its line on the chart do', async () => {
  const fleet = new Fleet(90_000, [stored('a'), stored('b')], start);
  const [a, b] = [fleet.get('a')!, fleet.get('b')!];
  fleet.heartbeat(a, request(150), at(start.nowMs));
  fleet.heartbeat(b, request(33, 0), at(start.nowMs));
  expect(fleet.totalActualTps).toBe(150);
  fleet.gaveWork(b, start.steadyMs);
  fleet.gaveWork(a, start.steadyMs);
  await fleet.review(start.steadyMs);
  expect(fleet.totalActualTps).toBe(183);
  expect(b.runningJobs).toBe(1);
});

test('an agent that is away, or revoked meanwhile, does not count when it is given work', () => {
  const fleet = new Fleet(90_000, [stored('a'), stored('b')], start);
  for (const id of ['a', 'b']) fleet.heartbeat(fleet.get(id)!, request(33, 0), at(start.nowMs));
  fleet.gaveWork(fleet.get('a')!, start.steadyMs + 90_001);
  fleet.revoke(fleet.get('b')!, 'admin');
  fleet.gaveWork(fleet.get('b')!, start.steadyMs);
  expect(fleet.totalActualTps).toBe(0);
});

test('an agent is online for three windows after its last heartbeat, across a restart too', () => {
  const fleet = new Fleet(90_000, [stored('a', { lastHeartbeatAtMs: start.nowMs - 50_000 }), stored('b')], start);
  const [a, b] = [fleet.get('a')!, fleet.get('b')!];
  expect(fleet.isOnline(a, start.steadyMs + 40_000)).toBe(true);
  expect(fleet.isOnline(a, start.steadyMs + 40_001)).toBe(false);
  expect(fleet.isOnline(b, start.steadyMs)).toBe(false);
});

test('a wall clock that jumps takes nobody offline', () => {
  const fleet = new Fleet(90_000, [stored('a')], start);
  const agent = fleet.get('a')!;
  fleet.heartbeat(agent, request(5), { nowMs: start.nowMs, steadyMs: start.steadyMs });
  fleet.holdoff(agent, null, { nowMs: start.nowMs + 7_200_000, steadyMs: start.steadyMs + 1 });
  expect(fleet.isOnline(agent, start.steadyMs + 1)).toBe(true);
});

test('a revoked agent is not found by its credential and adds nothing', () => {
  const fleet = new Fleet(90_000, [stored('a'), stored('b', { revoked: true })], start);
  expect(fleet.byCredential('hash-b')).toBeUndefined();
  const agent = fleet.byCredential('hash-a')!;
  fleet.heartbeat(agent, request(5), at(start.nowMs));
  expect(fleet.totalActualTps).toBe(5);
  fleet.revoke(agent, 'admin');
  expect(fleet.byCredential('hash-a')).toBeUndefined();
  expect(fleet.totalActualTps).toBe(0);
  expect(fleet.revokedWith('hash-a')).toMatchObject({ agentId: 'a', revokedBy: 'admin' });
  // By whom is not stored; that it was revoked is.
  expect(fleet.revokedWith('hash-b')).toMatchObject({ agentId: 'b', revokedBy: null });
  expect(fleet.revokedWith('hash-c')).toBeUndefined();
});

test('a holdoff is counted once while it lasts, and again when another begins', () => {
  const fleet = new Fleet(90_000, [stored('a')], start);
  const agent = fleet.get('a')!;
  const holdoff = (remainingMs: number, ms: number) =>
    fleet.holdoff(agent, { remainingMs, reason: '503', jobId: null }, at(ms));
  holdoff(60_000, start.nowMs);
  holdoff(30_000, start.nowMs + 30_000);
  expect(agent).toMatchObject({ holdoffCount: 1, holdoffUntilMs: start.nowMs + 60_000 });
  holdoff(40_000, start.nowMs + 100_000);
  expect(agent.holdoffCount).toBe(2);
  fleet.holdoff(agent, null, at(start.nowMs + 110_000));
  expect(agent.holdoffUntilMs).toBeNull();
});

test('changes are handed over for writing once', () => {
  const fleet = new Fleet(90_000, [stored('a'), stored('b')], start);
  fleet.heartbeat(fleet.get('a')!, request(5), at(start.nowMs));
  expect(fleet.unwritten.take().changed.map(({ agentId }) => agentId)).toEqual(['a']);
  expect(fleet.unwritten.take()).toEqual({ changed: [], heard: [] });
});

test('of an agent that says the same again only the time is written, and all of it as soon as anything changes', () => {
  const fleet = new Fleet(90_000, [stored('a')], start);
  const agent = fleet.get('a')!;
  const beat = (change: object, ms: number) => fleet.heartbeat(agent, { ...request(5), ...change }, at(ms));
  beat({}, start.nowMs);
  fleet.unwritten.take();
  beat({}, start.nowMs + 30_000);
  const heard = [{ agentId: 'a', lastHeartbeatAtMs: start.nowMs + 30_000 }];
  expect(fleet.unwritten.take()).toEqual({ changed: [], heard });
  const holdoff = { remainingMs: 60_000, reason: '503', jobId: null };
  for (const change of [
    { host: 'b' },
    { version: '9' },
    { bootId: 'b2' },
    { limiter: false },
    { protocolVersion: 2 },
    { holdoff },
  ]) {
    beat(change, start.nowMs + 60_000);
    expect(fleet.unwritten.take().changed).toHaveLength(1);
    beat({}, start.nowMs + 60_000);
    fleet.unwritten.take();
  }
});

test('what could not be written is handed over again', () => {
  const fleet = new Fleet(90_000, [stored('a'), stored('b')], start);
  for (const id of ['a', 'b']) fleet.heartbeat(fleet.get(id)!, request(5), at(start.nowMs));
  fleet.unwritten.take();
  for (const id of ['a', 'b']) fleet.heartbeat(fleet.get(id)!, request(5), at(start.nowMs + 30_000));
  const batch = fleet.unwritten.take(1);
  fleet.unwritten.again(batch, (agentId) => fleet.get(agentId));
  expect(fleet.unwritten.take().heard.map(({ agentId }) => agentId)).toEqual(['b', 'a']);
});

test('bandwidth is object bytes in both directions over the window', () => {
  const usage = usageOf(
    { epoch: 'e', windowNumber: 1, creditBudget: 1 },
    { bytesRead: 30_000_000, bytesWritten: 30_000_000 },
  );
  expect(mbpsOf(usage)).toBe(16);
  expect(mbpsOf({ ...usage, windowMs: 0 })).toBe(0);
  expect(mbpsOf(null)).toBe(0);
});
