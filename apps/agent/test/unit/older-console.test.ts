import { createClient, type FetchAnswer, type FetchInit } from '@weir/client';
import { assignment, claimResponse } from '@weir/protocol';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedTime } from '../../../../packages/governor-client/test/unit/simulated-time.ts';
import { RECORDED, VERSION_1, type AgentRoute } from '../../../../packages/protocol/test/fixtures/version-1.ts';
import { Agent } from '../../src/agent.ts';
import { parseAgentOptions } from '../../src/config/agent-options.ts';
import { FakeEngine } from './fake-engine.ts';

/** A console of version 1: it answers what was recorded, and refuses every field that it does not know. */
class Version1Console {
  readonly taken: { route: AgentRoute; body: Record<string, unknown> }[] = [];
  readonly refused: string[] = [];
  /** Answers of today's console to heartbeats instead, once it was upgraded. */
  upgraded = false;
  readonly #told = new Map<AgentRoute, number>();

  readonly fetch = async (url: string, init: FetchInit): Promise<FetchAnswer> => {
    const route = routeOf(new URL(url).pathname);
    const body: Record<string, unknown> = JSON.parse(init.body ?? 'null');
    const strict = !this.upgraded && !VERSION_1[route].request.safeParse(body).success;
    if (strict) {
      this.refused.push(`${route} ${Object.keys(body).join(' ')}`);
      return answerOf(400, { error: { code: 'validation-failed', message: 'unknown field' } });
    }
    this.taken.push({ route, body });
    if (route === 'claim' && this.#told.has('claim')) return untilAborted(init.signal);
    const recorded = RECORDED.filter((call) => call.route === route);
    const n = this.#told.get(route) ?? 0;
    this.#told.set(route, n + 1);
    const answer = recorded[Math.min(n, recorded.length - 1)]?.answer ?? {};
    if (route === 'heartbeat' && this.upgraded) return answerOf(200, { ...answer, protocolVersion: 2 });
    return answerOf(200, route === 'progress' ? { desired: 'run' } : answer);
  };

  reports(): Record<string, unknown>[] {
    return this.taken.filter(({ route }) => route === 'progress').map(({ body }) => body);
  }
}

function routeOf(path: string): AgentRoute {
  const call = RECORDED.find((each) => each.path === path);
  if (call === undefined) throw new Error(`version 1 has no ${path}`);
  return call.route;
}

function answerOf(status: number, body: object): FetchAnswer {
  return { status, headers: { get: () => null }, text: async () => JSON.stringify(body) };
}

function untilAborted(signal: AbortSignal): Promise<FetchAnswer> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the poll ended')), { once: true });
  });
}

let time: SimulatedTime;
let engine: FakeEngine;
let console: Version1Console;
let agent: Agent;
beforeEach(() => {
  time = new SimulatedTime();
  engine = new FakeEngine();
  console = new Version1Console();
  agent = new Agent({
    config: parseAgentOptions({ consoleUrls: ['http://console.test'], stateDir: '/s', name: 'a', slots: 1 }),
    identity: { agentId: 'agt-1', host: 'h', bootId: 'b1' },
    client: createClient({
      baseUrl: 'http://console.test',
      fetch: console.fetch,
      startTimer: (run, delayMs) => time.startTimer(run, delayMs),
    }),
    makeEngine: () => engine,
    log: pino({ level: 'silent' }),
    timing: { now: time.now, startTimer: time.startTimer, random: () => 0 },
  });
});
afterEach(async () => {
  void agent.stop();
  await time.advance(20_000);
});

async function copying(): Promise<void> {
  void agent.start();
  await time.settle();
  await time.advance(100);
  expect(engine.copies).toHaveLength(1);
}

test('an agent of today copies for a console of version 1 to the end, and says nothing that it does not know', async () => {
  await copying();
  await time.advance(10_000);
  const reached = engine.last.progress();
  engine.last.reached = { ...reached, checkpoint: 'k/499' };
  engine.last.end({ type: 'completed' });
  await time.advance(5_000);
  expect(console.refused).toEqual([]);
  expect(console.taken.map(({ route }) => route)).toEqual(expect.arrayContaining(['heartbeat', 'claim', 'split']));
  expect(console.reports().at(-1)).toMatchObject({ state: 'completed', checkpoint: 'k/499' });
});

test('work of a console of version 1 asks for what every version does: copy, both sides, no filter, no dry run', () => {
  const claim = RECORDED.find(({ route }) => route === 'claim');
  const given = assignment.parse(claimResponse.parse(claim?.answer).assignment);
  expect(given).toMatchObject({ kind: 'copy', options: { dryRun: false, filter: { include: [], exclude: [] } } });
});

test('once the console is upgraded, the agent says all that it has to say from the next heartbeat on', async () => {
  await copying();
  await time.advance(3_000);
  expect(console.reports().at(-1)).not.toHaveProperty('canSplit');
  console.upgraded = true;
  await time.advance(10_000);
  expect(console.reports().at(-1)).toHaveProperty('canSplit');
  expect(console.reports().at(-1)).toHaveProperty('manifest');
});
