import { expect, test } from 'vitest';
import type { JudgedAgent } from '../../src/fleet/judged-use.ts';
import { RunningJudgement } from '../../src/fleet/running-judgement.ts';

const limits = { at: () => 1_000 };
const fleetOf = (agents: readonly JudgedAgent[]) => ({ agents: () => agents, counts: () => true });
const agentsOf = (count: number, totalTps: number): JudgedAgent[] =>
  Array.from({ length: count }, () => ({
    usage: { actualTps: totalTps / count, windowMs: 30_000 },
    heardAtSteadyMs: 0,
  }));

test('of a small fleet every look is a new one', () => {
  const judgement = new RunningJudgement();
  expect(judgement.use(fleetOf(agentsOf(100, 500)), limits, 0).percent).toBeCloseTo(50);
  expect(judgement.use(fleetOf(agentsOf(100, 800)), limits, 0).percent).toBeCloseTo(80);
});

test('of a large fleet a result counts for a while, and the next is worked out a piece at a time', () => {
  const judgement = new RunningJudgement();
  let counted = 0;
  const later = { ...fleetOf(agentsOf(10_000, 800)), counts: () => (counted += 1) > 0 };
  expect(judgement.use(fleetOf(agentsOf(10_000, 500)), limits, 0).percent).toBeCloseTo(50);
  expect(judgement.use(later, limits, 999).percent).toBeCloseTo(50);
  expect(counted).toBe(0);
  for (let look = 0; look < 20; look += 1) {
    const before = counted;
    expect(judgement.use(later, limits, 1_000).percent).toBeCloseTo(50);
    expect(counted - before).toBe(500);
  }
  expect(judgement.use(later, limits, 1_000).percent).toBeCloseTo(80);
});

test('under another limit nothing counts that was judged before, also in the middle of a pass', () => {
  const judgement = new RunningJudgement();
  judgement.use(fleetOf(agentsOf(10_000, 500)), limits, 0);
  judgement.use(fleetOf(agentsOf(10_000, 500)), limits, 1_000);
  judgement.forget();
  expect(judgement.use(fleetOf(agentsOf(10_000, 500)), { at: () => 2_000 }, 1_000).percent).toBeCloseTo(25);
});
