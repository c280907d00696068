import type { WindowRecord } from '@weir/protocol';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { splitWork } from '../../src/actions/split-shard.ts';
import { writeBehind } from '../../src/actions/write-behind.ts';
import { rowFor } from '../../src/fleet/window-rows.ts';
import { ownLimiters } from '../../src/security/own-limiters.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { copied, TestConsole, usageOf } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

async function rowsOf(agentId: string): Promise<WindowRecord[]> {
  await writeBehind(console.context);
  return (await console.storage.history.windows(1_000)).filter((row) => row.agentId === agentId);
}

test('a flood of heartbeats does not become a flood of rows, and what was charged is not lost', async () => {
  const agent = await console.agent('a');
  await console.job();
  await agent.take();
  let { grant } = await agent.heartbeat({ runningJobs: 1 });
  let charged = 0;
  const beat = async (): Promise<void> => {
    if (grant === null) throw new Error('a running agent has a grant');
    const chargedOps = Math.min(1, grant.creditBudget);
    charged += chargedOps;
    const usage = usageOf(grant, { windowMs: 10, chargedOps });
    const answer = await agent.heartbeat({ runningJobs: 1, usage });
    // The same report once more adds nothing.
    await agent.heartbeat({ runningJobs: 1, usage });
    grant = answer.grant;
  };
  for (let n = 0; n < 3_000; n += 1) {
    await console.clock.advance(10);
    await beat();
  }
  await console.clock.advance(30_000);
  await beat();
  const rows = await rowsOf(agent.agentId);
  expect(charged).toBeGreaterThan(1_000);
  expect(rows.length).toBeLessThanOrEqual(2 * 16 + 1);
  expect(rows.reduce((sum, row) => sum + row.chargedOps, 0)).toBe(charged);
}, 20_000);

test('rows are bounded by the windows that passed, each window counts once, and the sums are kept', () => {
  const windowMs = 30_000;
  const report = fc.record({ afterMs: fc.nat(20_000), chargedOps: fc.nat(1_000), repeats: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(report, { maxLength: 200 }), (reports) => {
      const agent = { rows: null };
      let steadyMs = 0;
      let charged = 0;
      const rows: WindowRecord[] = [];
      const tell = (windowNumber: number, chargedOps: number): void => {
        const rates = { allocatedTps: 1, creditBudget: 1, actualTps: 1, peakSecondTps: 1 };
        const record = {
          agentId: 'a',
          epoch: 'e',
          windowNumber,
          endedAtMs: steadyMs,
          windowMs: 1,
          chargedOps,
          ...rates,
        };
        const row = rowFor(agent, record, { steadyMs, windowMs });
        if (row !== null) rows.push(row);
      };
      for (const [windowNumber, { afterMs, chargedOps, repeats }] of reports.entries()) {
        steadyMs += afterMs;
        charged += chargedOps;
        for (let n = 0; n <= repeats; n += 1) tell(windowNumber, chargedOps);
      }
      expect(rows.length).toBeLessThanOrEqual(16 + (steadyMs / windowMs) * 16);
      steadyMs += windowMs;
      tell(reports.length, 0);
      expect(rows.reduce((sum, row) => sum + row.chargedOps, 0)).toBe(charged);
      expect(rows.reduce((sum, row) => sum + row.windowMs, 0)).toBe(reports.length + 1);
    }),
  );
});

test('an agent cannot report on, split or end what another one holds', async () => {
  const [owner, other] = [await console.agent('owner'), await console.agent('other')];
  await console.job();
  const held = await owner.take();
  const lost = { code: 'lease-lost' };
  await expect(other.report(held, { checkpoint: 'z', live: copied(9) })).rejects.toMatchObject(lost);
  await expect(other.report(held, { state: 'completed', live: copied(9) })).rejects.toMatchObject(lost);
  const error = { code: 'x', message: 'x' };
  await expect(other.report(held, { state: 'failed', error })).rejects.toMatchObject(lost);
  const split = { leaseId: held.leaseId, boundaries: ['m'] };
  await expect(splitWork(console.context, other.agentId, held.shardId, split)).rejects.toMatchObject(lost);
  // Nor does a lease that somebody made up open the shard to its owner.
  await expect(owner.report({ ...held, leaseId: 'lse_x' })).rejects.toMatchObject(lost);
  expect(await owner.report(held)).toEqual({ desired: 'run' });
});

test.each([10, -10])(
  'a console whose clock jumps by %d minutes grants the same, loses no agent and no lease',
  async (minutes) => {
    const agent = await console.agent('a');
    await console.job();
    const held = await agent.take();
    let { grant } = await agent.heartbeat({ runningJobs: 1 });
    const budgets: number[] = [];
    for (let window = 0; window < 6; window += 1) {
      if (window === 2) console.clock.jumpWall(minutes * 60_000);
      if (window === 4) console.clock.jumpWall(-minutes * 60_000);
      await console.clock.advance(30_000);
      if (grant === null) throw new Error('a running agent has a grant');
      ({ grant } = await agent.heartbeat({ runningJobs: 1, usage: usageOf(grant) }));
      budgets.push(grant?.creditBudget ?? 0);
      expect(await agent.report(held)).toEqual({ desired: 'run' });
      const { fleet, clock } = console.context;
      expect(fleet.isRunning(agent.live, clock.steadyMs())).toBe(true);
    }
    expect(new Set(budgets).size).toBe(1);
    expect(await rowsOf(agent.agentId)).toHaveLength(6);
  },
);

test('one agent that calls without end is slowed, others and the counters of logins are not touched', async () => {
  const { calls, logins } = ownLimiters(new FakeClock(), () => undefined);
  for (let n = 0; n < 5; n += 1) await logins.attempt('1.1.1.1', 'admin');
  for (let n = 0; n < 25_000; n += 1) expect(calls.admitAgent(`agt_${n}`)).toBeNull();
  for (let n = 0; n < 6_000; n += 1) expect(calls.admitAgent('agt_flood')).toBeNull();
  expect(calls.admitAgent('agt_flood')).toBe(60_000);
  expect(calls.admitAgent('agt_1')).toBeNull();
  expect(await logins.attempt('1.1.1.1', 'admin')).not.toBeNull();
  await logins.close();
});
