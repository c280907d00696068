import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeByLimit, WindowJudge, type JudgedAgent, type JudgedUse } from '../../src/fleet/judged-use.ts';
import { LimitTimeline } from '../../src/fleet/limit-timeline.ts';
import { usageOf } from '../support/test-console.ts';

const W = 30_000;

/** An agent whose window began at this moment and has just been reported. */
function reported(beganMs: number, actualTps: number): JudgedAgent {
  const usage = usageOf({ epoch: 'e', windowNumber: 1, creditBudget: 1 }, { actualTps });
  return { usage, heardAtSteadyMs: beganMs + usage.windowMs };
}

function judgeByWindows(agents: readonly JudgedAgent[], limits: LimitTimeline): JudgedUse {
  const judge = new WindowJudge(limits);
  for (const agent of agents) judge.add(agent);
  return judge.use;
}

test('a changed limit is told once, and unsettles what is reported for six windows', () => {
  const limits = new LimitTimeline(W, 10_000);
  expect(limits.unsettled(0)).toBe(false);
  expect(limits.note(10_000, 0)).toBeNull();
  expect(limits.note(5_000, 0)).toEqual({ before: 10_000 });
  expect(limits.note(5_000, 1)).toBeNull();
  expect([limits.at(-1), limits.at(0), limits.at(W)]).toEqual([10_000, 5_000, 5_000]);
  expect([limits.unsettled(6 * W - 1), limits.unsettled(6 * W)]).toEqual([true, false]);
});

test('every agent is measured against the limit that its own window was granted under', () => {
  const limits = new LimitTimeline(W, 10_000);
  limits.note(5_000, 0);
  expect(judgeByWindows([reported(-1, 4_000), reported(0, 2_000)], limits)).toEqual({ limitTps: 10_000, percent: 80 });
  expect(judgeByWindows([reported(0, 4_000)], limits)).toEqual({ limitTps: 5_000, percent: 80 });
});

test('what was done without a limiter uses no budget', () => {
  const limits = new LimitTimeline(W, null);
  limits.note(1_000, 0);
  expect(judgeByWindows([reported(-1, 9_000)], limits)).toEqual({ limitTps: null, percent: 0 });
  expect(judgeByWindows([reported(-1, 9_000), reported(0, 500)], limits)).toEqual({ limitTps: 1_000, percent: 50 });
  expect(judgeByLimit(500, null)).toEqual({ limitTps: null, percent: 0 });
});

test('where nothing is reported the limit is the present one', () => {
  const limits = new LimitTimeline(W, 10_000);
  limits.note(5_000, 0);
  expect(judgeByWindows([{ usage: null, heardAtSteadyMs: 0 }], limits)).toEqual({ limitTps: 5_000, percent: 0 });
});

test('agents that keep to what they were granted never read as above 100 percent, whatever the limit does', () => {
  const limitChanges = fc.array(
    fc.record({ afterMs: fc.integer({ min: 1, max: 5 * W }), limit: fc.integer({ min: 100, max: 1_000 }) }),
    { minLength: 1, maxLength: 30 },
  );
  const ages = fc.array(fc.integer({ min: 0, max: 4 * W }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(limitChanges, ages, (changes, agesMs) => {
      const limits = new LimitTimeline(W, 500);
      const spans = [{ sinceMs: Number.NEGATIVE_INFINITY, limit: 500 }];
      let nowMs = 0;
      for (const { afterMs, limit } of changes) {
        nowMs += afterMs;
        limits.note(limit, nowMs);
        spans.push({ sinceMs: nowMs, limit });
        const agents = agesMs.map((ageMs) => {
          const beganMs = nowMs - ageMs - W;
          const granted = spans.findLast((span) => span.sinceMs <= beganMs)?.limit ?? 0;
          return reported(beganMs, granted / agesMs.length);
        });
        const use = judgeByWindows(agents, limits);
        expect(use.percent).toBeCloseTo(100, 6);
        const total = agents.reduce((sum, agent) => sum + (agent.usage?.actualTps ?? 0), 0);
        expect(total).toBeLessThanOrEqual((use.limitTps ?? 0) + 1e-6);
      }
    }),
  );
});
