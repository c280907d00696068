import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseScenario, simulate, type SimulationResult } from '../../src/index.ts';

const LIMIT = 10_000;

function run(scenario: object): SimulationResult {
  const parsed = parseScenario({ globalLimitTps: LIMIT, windows: 40, ...scenario });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return simulate(parsed.scenario);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const used = (result: SimulationResult, from: number): number =>
  mean(result.windows.slice(from).map(({ usedPercent }) => usedPercent));

const ONE_HUNGRY = [
  { id: 'hungry', demandTps: 20_000 },
  { id: 'modest', count: 9, demandTps: 50 },
];

/** Two groups whose demands change places every ten windows: five minutes. */
function swapping(count: number, highTps: number, windows: number): object[] {
  const steps = (first: number, second: number): object[] =>
    Array.from({ length: Math.floor(windows / 10) - 1 }, (_, index) => ({
      from: 10 * (index + 1),
      demandTps: index % 2 === 0 ? second : first,
    }));
  return [
    { id: 'a', count, demandTps: highTps, demandSteps: steps(highTps, 100) },
    { id: 'b', count, demandTps: 100, demandSteps: steps(100, highTps) },
  ];
}

describe('a fleet whose heartbeats are staggered', () => {
  it('uses 57 % of the budget with one hungry agent of ten under the documented policy, and 99 % under max-min', () => {
    const documented = run({ agents: ONE_HUNGRY, fleet: {} });
    expect(documented.summary.finalUsedPercent).toBeGreaterThan(56);
    expect(documented.summary.finalUsedPercent).toBeLessThan(58);
    for (const fleet of [{}, { burstSeconds: 0.05 }, { burstSeconds: 0.05, overshootGuard: true }]) {
      const fair = run({ policy: 'max-min', agents: ONE_HUNGRY, fleet });
      expect(used(fair, 2)).toBeGreaterThanOrEqual(99);
    }
  });

  it('is right within two windows under max-min', () => {
    const { windows } = run({
      policy: 'max-min',
      agents: ONE_HUNGRY,
      fleet: { burstSeconds: 0.05, overshootGuard: true },
    });
    for (const { usedPercent } of windows.slice(2)) expect(usedPercent).toBeGreaterThanOrEqual(99);
  });

  it.each([
    [1, 20_000],
    [10, 2_000],
  ])('uses 95 %% of the budget while %i and %i agents change places every five minutes', (count, highTps) => {
    const scenario = { windows: 80, policy: 'max-min', agents: swapping(count, highTps, 80) };
    const paced = run({ ...scenario, fleet: { burstSeconds: 0.05 } });
    expect(paced.summary.meanUsedPercent).toBeGreaterThanOrEqual(95);
    const guarded = run({ ...scenario, fleet: { burstSeconds: 0.05, overshootGuard: true } });
    expect(guarded.summary.meanUsedPercent).toBeGreaterThanOrEqual(95);
    // And with the guard not one second of it passes the limit, nor do the live grants at any instant.
    expect(guarded.summary.fleet?.peakPercent).toBeLessThanOrEqual(100.001);
    expect(guarded.summary.fleet?.highestLivePercent).toBeLessThanOrEqual(100);
  });

  it('gives the hungry alike: Jain’s index is at least 0.99 under max-min, changes included', () => {
    const scenario = { windows: 80, policy: 'max-min', agents: swapping(10, 2_000, 80) };
    for (const fleet of [{}, { burstSeconds: 0.05 }, { burstSeconds: 0.05, overshootGuard: true }]) {
      expect(run({ ...scenario, fleet }).summary.fleet?.jainIndex).toBeGreaterThanOrEqual(0.99);
    }
  });

  it('sends hardly more heartbeats than one a window for it', () => {
    const { summary } = run({ policy: 'max-min', agents: ONE_HUNGRY, fleet: { burstSeconds: 0.05 } });
    expect(summary.fleet?.heartbeats).toBeLessThan(1.1 * 40 * 10);
  });

  it('spends a window in its first seconds unless it is paced', () => {
    const agents = [{ id: 'a', count: 4, demandTps: 5_000 }];
    expect(run({ agents, fleet: { heartbeats: 'together' } }).summary.fleet?.peakPercent).toBeGreaterThan(190);
    expect(
      run({ agents, fleet: { heartbeats: 'together', burstSeconds: 0.05 } }).summary.fleet?.peakPercent,
    ).toBeLessThan(101);
  });

  it('follows a lowered limit within a window', () => {
    const fleet = { burstSeconds: 0.05, overshootGuard: true, limits: [{ from: 20, globalLimitTps: 4_000 }] };
    const { windows } = run({ policy: 'max-min', agents: [{ id: 'a', count: 5, demandTps: 5_000 }], fleet });
    const total = (index: number): number =>
      Object.values(windows[index]?.allocatedTps ?? {}).reduce((sum, tps) => sum + tps, 0);
    expect(total(19)).toBeGreaterThan(9_900);
    expect(total(21)).toBeLessThanOrEqual(4_000.001);
    expect(total(39)).toBeGreaterThan(3_960);
  });
});

describe('whatever happens to a fleet', () => {
  const agent = fc.record({
    demandTps: fc.constantFrom(0, 50, 500, 5_000, 50_000),
    burst: fc.constantFrom(1, 3),
    runsFrom: fc.constantFrom(0, 0, 0, 5, 9),
    lasts: fc.constantFrom(null, null, 4, 12),
    restarts: fc.array(fc.nat(24), { maxLength: 2 }),
    step: fc.option(fc.record({ from: fc.nat(24), demandTps: fc.constantFrom(0, 100, 20_000) })),
  });
  const course = fc.record({
    agents: fc.array(agent, { minLength: 1, maxLength: 12 }),
    policy: fc.constantFrom('reclaim', 'max-min'),
    seed: fc.integer({ min: 1, max: 1e6 }),
    jitterSeconds: fc.constantFrom(0, 1, 10),
    lossPercent: fc.constantFrom(0, 5, 40),
    burstSeconds: fc.constantFrom(null, 0.05),
    consoleRestarts: fc.array(fc.nat(24), { maxLength: 2 }),
    clockJumps: fc.array(fc.record({ window: fc.nat(24), seconds: fc.constantFrom(-86_400, -40, 40, 86_400) }), {
      maxLength: 2,
    }),
  });

  it('with the guard, live grants stay within the budget, also across losses, restarts and clocks that jump; paced, so does every second', () => {
    fc.assert(
      fc.property(course, ({ agents, policy, burstSeconds, ...fleet }) => {
        const { summary, windows } = run({
          windows: 25,
          policy,
          agents: agents.map(({ demandTps, burst, runsFrom, lasts, restarts, step }, index) => ({
            id: `a${index}`,
            demandTps,
            burstTps: demandTps * burst,
            runsFrom,
            ...(lasts !== null && { runsUntil: runsFrom + lasts }),
            restarts,
            demandSteps: step === null ? [] : [step],
          })),
          fleet: { ...fleet, overshootGuard: true, ...(burstSeconds !== null && { burstSeconds }) },
        });
        const seen = summary.fleet;
        expect(seen?.highestLivePercent).toBeLessThanOrEqual(100);
        // Clocks that jump leave fractions of a credit on either side of a second.
        expect(burstSeconds === null ? 0 : seen?.peakPercent).toBeLessThanOrEqual(100.01);
        expect(windows).toHaveLength(25);
        for (const { usedPercent } of windows) expect(Number.isFinite(usedPercent)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('a fleet that lost heartbeats and its console is back to full use within five windows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.boolean(), (seed, overshootGuard) => {
        const result = run({
          windows: 30,
          policy: 'max-min',
          agents: [{ id: 'a', count: 6, demandTps: 5_000, restarts: [8] }],
          fleet: { seed, overshootGuard, burstSeconds: 0.05, lossPercent: 10, jitterSeconds: 2, consoleRestarts: [12] },
        });
        expect(used(result, 17)).toBeGreaterThan(90);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the field `fleet` of a scenario', () => {
  it('names every mistake', () => {
    const parsed = parseScenario({
      globalLimitTps: 100,
      windows: 1,
      agents: [{ id: 'a', demandTps: 1, demandSteps: [{ from: 1 }], restarts: [-1] }],
      fleet: {
        heartbeats: 'random',
        lossPercent: 100,
        seed: 0,
        overshootGuard: 1,
        limits: [{ from: 0, tps: 5 }],
        pace: 1,
      },
    });
    const fields = parsed.ok ? [] : parsed.problems.map(({ field }) => field);
    expect(fields.toSorted()).toEqual([
      'agents[0].demandSteps[0].demandTps',
      'agents[0].restarts[0]',
      'fleet.heartbeats',
      'fleet.limits[0].globalLimitTps',
      'fleet.limits[0].tps',
      'fleet.lossPercent',
      'fleet.overshootGuard',
      'fleet.pace',
      'fleet.seed',
    ]);
  });

  it('is needed for what only a fleet in real time can play', () => {
    const agents = [{ id: 'a', demandTps: 1, demandSteps: [{ from: 1, demandTps: 2 }] }];
    const parsed = parseScenario({ globalLimitTps: 100, windows: 2, agents });
    expect(parsed.ok ? [] : parsed.problems).toMatchObject([{ field: 'agents[0].demandSteps' }]);
  });

  it('plays the same course for the same seed, and another for another', () => {
    const [first, again, other] = [7, 7, 8].map(
      (seed) => run({ agents: ONE_HUNGRY, fleet: { seed, jitterSeconds: 3, lossPercent: 10 } }).windows,
    );
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
  });
});
