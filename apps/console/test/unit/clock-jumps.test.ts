import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWebhook } from '../../src/actions/create-webhook.ts';
import { ensureAccounts } from '../../src/actions/ensure-accounts.ts';
import { findSession } from '../../src/actions/find-session.ts';
import { logIn } from '../../src/actions/log-in.ts';
import { readMonitor } from '../../src/actions/read-monitor.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { TestConsole, usageOf, type TestAgent } from '../support/test-console.ts';

const WINDOW_MS = 30_000;
const LIMIT_TPS = 1_000;
const HOOK = { name: 'ops', secretUrl: 'https://hooks.example/x', format: 'json', reminders: false } as const;

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
  const settings = { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: LIMIT_TPS, overshootGuard: true };
  await saveGovernorSettings(console.context, settings, 'admin');
});
afterEach(() => console.stop());

/** An agent that copies, and spends all it is granted. */
class BusyAgent {
  readonly #agent: TestAgent;
  #grant: Awaited<ReturnType<TestAgent['heartbeat']>>['grant'] = null;

  constructor(agent: TestAgent) {
    this.#agent = agent;
  }

  /** Reports its window and returns the credits of the next one. */
  async beat(): Promise<number> {
    const usage = this.#grant === null ? null : usageOf(this.#grant);
    ({ grant: this.#grant } = await this.#agent.heartbeat({ runningJobs: 1, usage }));
    return this.#grant?.creditBudget ?? 0;
  }
}

describe.each([10, -10])('a console whose clock is set %d minutes off', (minutes) => {
  const jump = (): void => console.clock.jumpWall(minutes * 60_000);

  test('grants two guarded agents the whole budget in every window, and never more', async () => {
    await console.job();
    const agents = [await console.agent('a'), await console.agent('b')];
    for (const agent of agents) await agent.heartbeat();
    await agents[0]?.claim();
    const busy = agents.map((agent) => new BusyAgent(agent));
    const budget = (LIMIT_TPS * WINDOW_MS) / 1_000;
    const granted: number[] = [];
    for (let window = 0; window < 8; window += 1) {
      if (window === 3) jump();
      let sum = 0;
      for (const agent of busy) sum += await agent.beat();
      granted.push(sum);
      await console.clock.advance(WINDOW_MS);
    }
    expect(Math.max(...granted)).toBeLessThanOrEqual(budget);
    // Until both have reported once, the first holds a share of its own.
    expect(Math.min(...granted.slice(2))).toBeGreaterThan(0.95 * budget);
  });

  test('gives the work of an agent that falls silent to another after three windows', async () => {
    await console.job();
    const [silent, heir] = [await console.agent('silent'), await console.agent('heir')];
    await silent.heartbeat();
    const { shardId } = await silent.take();
    jump();
    await console.clock.advance(2.5 * WINDOW_MS);
    await heir.heartbeat();
    expect((await heir.claim()).assignment).toBeNull();
    await console.clock.advance(WINDOW_MS);
    expect((await heir.take()).shardId).toBe(shardId);
  });

  test('keeps its sessions, and begins new ones', async () => {
    await ensureAccounts(console.context, 'first-password', []);
    const enter = async (): Promise<string> => {
      const request = { username: 'admin', password: 'first-password' };
      return (await logIn(console.context, request, '192.0.2.1')).token;
    };
    const before = await enter();
    jump();
    const after = await enter();
    for (const token of [before, after]) expect(await findSession(console.context, token)).toBeDefined();
  });

  test('raises its alarm and sends word of it', async () => {
    await createWebhook(console.context, HOOK, 'admin');
    const agent = await console.agent('a');
    await agent.heartbeat({ runningJobs: 1 });
    await console.clock.advance(WINDOW_MS / 2);
    jump();
    await console.clock.advance(WINDOW_MS / 2);
    const usage = usageOf({ epoch: 'e', windowNumber: 1, creditBudget: 30_000 }, { actualTps: LIMIT_TPS * 0.99 });
    await agent.heartbeat({ runningJobs: 1, usage });
    expect(console.context.alarms.active()).toMatchObject([{ code: 'CV-TPS-001' }]);
    await console.clock.advance(2_000);
    expect(console.webhooks.received).toHaveLength(1);
  });

  test('goes on drawing the chart of the monitor to the present', async () => {
    const agent = await console.agent('a');
    await console.clock.advance(40 * WINDOW_MS);
    jump();
    await agent.heartbeat();
    await console.clock.advance(3 * WINDOW_MS);
    const { series } = await readMonitor(console.context);
    expect(series.totalTps.slice(-3)).toEqual([0, 0, 0]);
    const last = series.atMs.at(-1) ?? 0;
    expect(console.clock.nowMs() - last).toBeLessThan(2 * WINDOW_MS);
  });
});
