import { agentList, PROTOCOL_VERSION, type AgentView } from '@weir/protocol';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listAgents } from '../../src/actions/list-agents.ts';
import { momentOf } from '../../src/actions/context.ts';
import type { LiveAgent } from '../../src/fleet/live-agent.ts';
import { TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const CONDITIONS = ['trouble', 'holdoff', 'unthrottled', 'running', 'idle', 'offline', 'revoked'] as const;
type Condition = (typeof CONDITIONS)[number];

/** An agent that the console knows, heard just now unless it is offline. */
function known(name: string, condition: Condition, change: Partial<LiveAgent> = {}): LiveAgent {
  const { context } = console;
  const moment = momentOf(context);
  const stored = {
    agentId: name,
    name,
    host: `${name}.example.net`,
    version: '1',
    protocolVersion: PROTOCOL_VERSION,
    limiter: condition !== 'unthrottled',
    revoked: false,
    credentialHash: `hash-${name}`,
    enrolledAtMs: moment.nowMs,
    lastHeartbeatAtMs: moment.nowMs,
    bootId: 'boot',
    holdoffUntilMs: condition === 'holdoff' ? moment.nowMs + 60_000 : null,
    holdoffCount: 0,
    ...change,
  };
  const agent = context.fleet.enrol(stored, moment);
  if (condition === 'running' || condition === 'trouble') agent.runningJobs = 1;
  if (condition === 'offline') agent.heardAtSteadyMs = null;
  if (condition === 'revoked') context.fleet.revoke(agent, 'admin');
  if (condition === 'trouble') {
    context.leases.begin({ leaseId: `of-${name}`, shardId: 's', jobId: 'j', agentId: name }, moment.steadyMs);
    const trouble = { code: 'timeout', message: 'GetObject', sinceMs: moment.nowMs, nextRetryAtMs: null };
    context.leases.heard(`of-${name}`, moment.steadyMs, { trouble, trafficBytes: 0 });
  }
  return agent;
}

const names = (agents: readonly AgentView[]): string[] => agents.map(({ name }) => name);

test('agents that fit into the answer are listed in the order in which they were enrolled, revoked ones too', async () => {
  for (const condition of CONDITIONS.toReversed()) known(condition, condition);
  const all = await listAgents(console.context);
  expect(names(all.agents)).toEqual(CONDITIONS.toReversed());
  expect(all.matchingAgents).toBe(7);
  // It is sent as it is.
  expect(agentList.parse(all)).toEqual(all);
  const exactly = await listAgents(console.context, { rows: 7 });
  expect(names(exactly.agents)).toEqual(CONDITIONS.toReversed());
  const registered = await listAgents(console.context, { revoked: false });
  expect(names(registered.agents)).toEqual(CONDITIONS.toReversed().slice(1));
  expect(registered.matchingAgents).toBe(6);
});

test('of more agents those are listed that need a look first, and of revoked ones up to half, each in the order of enrolment', async () => {
  const fleet = fc.array(fc.constantFrom(...CONDITIONS), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fleet, fc.integer({ min: 1, max: 20 }), fc.boolean(), async (conditions, rows, revoked) => {
      await console.stop();
      console = await TestConsole.start();
      const enrolled = conditions.map((condition, index) => ({ condition, name: `a${index}` }));
      for (const { name, condition } of enrolled) known(name, condition);
      const matching = enrolled.filter(({ condition }) => revoked || condition !== 'revoked');
      const of = (condition: Condition) => matching.filter((one) => one.condition === condition);
      const live = CONDITIONS.filter((condition) => condition !== 'revoked').flatMap(of);
      const gone = of('revoked').slice(0, Math.max(Math.floor(rows / 2), rows - live.length));
      const expected = matching.length <= rows ? matching : [...live.slice(0, rows - gone.length), ...gone];
      const listed = await listAgents(console.context, { rows, revoked });
      expect(names(listed.agents)).toEqual(expected.map(({ name }) => name));
      expect(listed.matchingAgents).toBe(matching.length);
    }),
    { numRuns: 40 },
  );
});

test('revoked agents that are asked for are listed however many others there are, and without being asked for none', async () => {
  for (let index = 0; index < 2_500; index += 1) known(`live${index}`, 'running');
  for (const name of ['gone1', 'gone2', 'gone3']) known(name, 'revoked');
  const asked = await listAgents(console.context, { revoked: true });
  expect(names(asked.agents.filter(({ revoked }) => revoked))).toEqual(['gone1', 'gone2', 'gone3']);
  expect(asked.agents).toHaveLength(2_000);
  expect(asked.matchingAgents).toBe(2_503);
  const others = await listAgents(console.context, { revoked: false });
  expect(others.agents.filter(({ revoked }) => revoked)).toEqual([]);
  expect(others.agents).toHaveLength(2_000);
});

test('a filter finds agents by a part of name or host, in any case', async () => {
  known('copy-fra-1', 'running', { host: 'Rack-7.example.net' });
  known('copy-ams-1', 'idle', { host: 'rack-8.example.net' });
  known('Fra-old', 'revoked', { host: 'gone' });
  const found = async (name: string) => names((await listAgents(console.context, { name })).agents);
  expect(await found('FRA')).toEqual(['copy-fra-1', 'Fra-old']);
  expect(await found(' rack-7 ')).toEqual(['copy-fra-1']);
  expect(await found('  ')).toHaveLength(3);
  expect(await found('1 rack')).toEqual([]);
  const one = await listAgents(console.context, { name: 'copy', rows: 1 });
  expect(names(one.agents)).toEqual(['copy-fra-1']);
  expect(one.matchingAgents).toBe(2);
});

test('the totals are those of the whole fleet, whatever was asked for', async () => {
  for (const condition of CONDITIONS) known(condition, condition);
  const totals = { registeredAgents: 6, onlineAgents: 5, runningAgents: 2, revokedAgents: 1, olderProtocol: null };
  for (const query of [{}, { name: 'nobody' }, { rows: 1 }, { revoked: false }]) {
    expect((await listAgents(console.context, query)).totals).toEqual(totals);
  }
  expect((await listAgents(console.context, { name: 'nobody' })).agents).toEqual([]);
});

test('agents with an older protocol are counted while they are online, with the oldest of theirs', async () => {
  known('new', 'running', { protocolVersion: PROTOCOL_VERSION + 1 });
  known('away', 'offline', { protocolVersion: 0 });
  known('gone', 'revoked', { protocolVersion: 0 });
  known('same', 'idle');
  expect((await listAgents(console.context)).totals?.olderProtocol).toBeNull();
  known('old', 'idle', { protocolVersion: PROTOCOL_VERSION - 1 });
  known('older', 'running', { protocolVersion: 1 });
  known('new-again', 'running');
  expect((await listAgents(console.context, { rows: 1 })).totals?.olderProtocol).toEqual({
    agents: 2,
    oldestVersion: 1,
  });
});

test('trouble is over when its lease has gone on or ended', async () => {
  known('a', 'idle');
  known('b', 'trouble');
  const first = async () => names((await listAgents(console.context, { rows: 1 })).agents);
  expect(await first()).toEqual(['b']);
  const { leases } = console.context;
  const { trouble } = leases.heldBy('b')[0] ?? {};
  leases.begin({ leaseId: 'second', shardId: 's2', jobId: 'j', agentId: 'b' }, 0);
  leases.heard('second', 0, { trouble: trouble ?? null, trafficBytes: 0 });
  leases.heard('of-b', 0, { trouble: null, trafficBytes: 0 });
  expect(leases.troubledOf('b').map(({ leaseId }) => leaseId)).toEqual(['second']);
  leases.end('second');
  expect(leases.isInTrouble('b')).toBe(false);
  expect((await listAgents(console.context, { name: 'b' })).agents[0]?.troubles).toEqual([]);
});

test('a fleet of 10,000 is looked at in turns, and only what is listed is looked at closely', async () => {
  for (let index = 0; index < 10_000; index += 1) {
    known(`a${index}`, index % 5 === 0 ? 'running' : index % 1_000 === 7 ? 'holdoff' : 'idle');
  }
  let [turns, views, done] = [0, 0, false];
  const tick = (): void => {
    turns += 1;
    if (!done) setImmediate(tick);
  };
  setImmediate(tick);
  const { context } = console;
  const coordinator = Object.create(context.coordinator, {
    allocatedTps: {
      value: () => {
        views += 1;
        return 0;
      },
    },
  });
  const { agents, matchingAgents, totals } = await listAgents({ ...context, coordinator });
  done = true;
  expect(turns).toBeGreaterThanOrEqual(4);
  expect(views).toBe(2_000);
  expect(matchingAgents).toBe(10_000);
  expect(totals).toMatchObject({ registeredAgents: 10_000, onlineAgents: 10_000, runningAgents: 2_000 });
  expect(names(agents).slice(0, 11)).toEqual([
    ...Array.from({ length: 10 }, (_, thousand) => `a${thousand * 1_000 + 7}`),
    'a0',
  ]);
  expect(agents).toHaveLength(2_000);
});
