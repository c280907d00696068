import { createClient, type Client } from '@weir/client';
import { DEFAULT_GOVERNOR_SETTINGS, PROTOCOL_VERSION, type Grant, type HeartbeatRequest } from '@weir/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Group, leaderOf, until } from '../support/group-of-consoles.ts';
import type { HttpConsole } from '../support/running-console.ts';
import { usageOf } from '../support/test-console.ts';

/** So long that nothing runs out by itself while this file runs. */
const WINDOW_SECONDS = 120;
const LIMIT_TPS = 1_000;
const BUDGET = LIMIT_TPS * WINDOW_SECONDS;

let group: Group;
let a: HttpConsole;
let b: HttpConsole;
/** Those that were not stopped. */
let running: HttpConsole[];
beforeAll(async () => {
  group = await Group.start();
  a = await group.console('a', { windowSeconds: WINDOW_SECONDS });
  b = await group.console('b', { windowSeconds: WINDOW_SECONDS });
  running = [a, b];
  await until('one leads', () => leaderOf([a, b]) !== undefined);
  const settings = { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: LIMIT_TPS, overshootGuard: true };
  await a.call('PUT', '/api/v1/settings/governor', { cookie: await a.login(), body: settings });
});
afterAll(() => group.stop());

/** An agent that knows both consoles. */
async function agent(name: string): Promise<{ beat(change?: Partial<HeartbeatRequest>): Promise<Grant | null> }> {
  const stranger = createClient({ baseUrl: [a.url, b.url], token: a.running.enrolmentToken });
  const enrolment = { name, host: 'host', version: '1', protocolVersion: PROTOCOL_VERSION };
  const { credential } = await stranger.call('enrol', { body: enrolment });
  const client: Client = createClient({ baseUrl: [a.url, b.url], token: credential });
  const who = { protocolVersion: PROTOCOL_VERSION, version: '1', host: 'host', bootId: 'boot-1', limiter: true };
  return {
    beat: async (change = {}) => {
      const body = { ...who, runningJobs: 1, usage: null, holdoff: null, ...change };
      return (await client.call('heartbeat', { body })).grant;
    },
  };
}

test('whoever leads next keeps what the last leader granted within the budget, and grants it anew when it is reported', async () => {
  const first = await agent(`first-${performance.now()}`);
  const old = await first.beat();
  expect(old?.creditBudget).toBe(BUDGET);
  const second = await agent(`second-${performance.now()}`);
  const beforeFence = leaderOf([a, b])?.running.seat()?.fence ?? 0;

  const leader = leaderOf([a, b])!;
  await leader.running.stop();
  running = running.filter((console) => console !== leader);
  await until('the other leads', () => (leaderOf(running)?.running.seat()?.fence ?? 0) > beforeFence);

  // The first may still spend all of it, so nothing is left for anybody else, whatever the new leader would like to give.
  expect((await second.beat())?.creditBudget).toBe(0);
  const anew = await first.beat({ usage: usageOf(old!, { windowMs: 2_000 }) });
  expect(anew?.epoch).not.toBe(old?.epoch);
  expect(anew?.creditBudget).toBe(BUDGET / 2);
});

test('while Redis is away no agent gets credits; afterwards it waits for what may be live, since the ledger was lost', async () => {
  const late = await agent(`late-${performance.now()}`);
  await group.redis.kill();
  await expect(late.beat()).rejects.toMatchObject({ status: 503 });
  await group.redis.restart();
  await until('one leads again', () => leaderOf(running) !== undefined);
  await until('it answers', () =>
    late.beat().then(
      (grant) => {
        expect(grant).toBeNull();
        return true;
      },
      (error: unknown) => {
        expect(error).toMatchObject({ status: 503 });
        return false;
      },
    ),
  );
});
