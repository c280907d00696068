import { describe, expect, it } from 'vitest';
import {
  parseScenario,
  simulate,
  type Scenario,
  type ScenarioProblem,
  type SimulationResult,
} from '../../src/index.ts';

function read(json: unknown): Scenario {
  const parsed = parseScenario(json);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

function problemsOf(json: unknown): ScenarioProblem[] {
  const parsed = parseScenario(json);
  return parsed.ok ? [] : parsed.problems;
}

const run = (json: unknown): SimulationResult => simulate(read(json));

const ONE_HUNGRY_OF_THREE = {
  globalLimitTps: 10_000,
  windows: 40,
  agents: [
    { id: 'agent-1', demandTps: 20_000 },
    { id: 'agent-2', demandTps: 500 },
    { id: 'agent-3', demandTps: 1_000 },
  ],
};
const ONE_HUNGRY_OF_TEN = {
  globalLimitTps: 10_000,
  windows: 100,
  agents: [
    { id: 'hungry', demandTps: 20_000 },
    { id: 'modest', count: 9, demandTps: 50 },
  ],
};

describe('a simulated fleet', () => {
  it('one hungry of three: 3,333 → 4,367 → 4,987 → 5,359', () => {
    const { windows } = run(ONE_HUNGRY_OF_THREE);
    expect(windows.slice(0, 4).map(({ allocatedTps }) => Math.round(allocatedTps['agent-1'] ?? 0))).toEqual([
      3_333, 4_367, 4_987, 5_359,
    ]);
    expect(windows[0]?.index).toBe(0);
  });

  it('under the documented policy one hungry of three leaves a quarter of the budget unused, one of ten 43 %', () => {
    expect(run(ONE_HUNGRY_OF_THREE).summary.finalUsedPercent).toBeCloseTo(74.17, 1);
    const { summary } = run(ONE_HUNGRY_OF_TEN);
    expect(summary.meanUsedPercent).toBeGreaterThan(55);
    expect(summary.meanUsedPercent).toBeLessThan(57.5);
    expect(Math.round(summary.finalUsedPercent)).toBe(57);
  });

  it('under max-min both use at least 99 % from the second window on', () => {
    for (const scenario of [ONE_HUNGRY_OF_THREE, ONE_HUNGRY_OF_TEN]) {
      const { windows, summary } = run({ ...scenario, policy: 'max-min' });
      for (const { usedPercent } of windows.slice(1)) expect(usedPercent).toBeGreaterThanOrEqual(99);
      expect(summary.settledAtIndex).toBe(1);
    }
  });

  it('charges what the credits allow and never more than the budget of the window', () => {
    const { windows, summary } = run({ ...ONE_HUNGRY_OF_TEN, globalLimitTps: 777 });
    for (const { usedPercent } of windows) expect(usedPercent).toBeLessThanOrEqual(100);
    expect(summary.chargedOps).toBeCloseTo((summary.meanUsedPercent / 100) * 777 * 30 * 100, 3);
  });

  it('reports the burst rate only while credits limit the agent', () => {
    const { windows } = run({
      globalLimitTps: 492,
      windows: 2,
      agents: [
        { id: 'bursting', demandTps: 400, burstTps: 492 },
        { id: 'calm', demandTps: 10, burstTps: 900 },
        { id: 'idle', demandTps: 0 },
      ],
    });
    expect(windows[0]?.allocatedTps).toEqual({ bursting: 164, calm: 164, idle: 164 });
    expect(windows[0]?.actualTps).toEqual({ bursting: 492, calm: 10, idle: 0 });
    expect(windows[1]?.allocatedTps['bursting']).toBeCloseTo(227.6, 6);
  });

  it('an agent has no share before it runs and after it has stopped, and starts with an equal split', () => {
    const { windows } = run({
      globalLimitTps: 1_000,
      windows: 6,
      agents: [
        { id: 'always', demandTps: 5_000 },
        { id: 'sometimes', demandTps: 5_000, runsFrom: 2, runsUntil: 4 },
      ],
    });
    expect(windows.map(({ allocatedTps }) => (allocatedTps['sometimes'] ?? 0) > 0)).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(windows[2]?.allocatedTps['sometimes']).toBe(500);
    expect(windows[4]?.actualTps['sometimes']).toBe(0);
    expect(windows[5]?.allocatedTps['always']).toBeGreaterThan(windows[3]?.allocatedTps['always'] ?? 0);
  });

  it('an agent may start with an allocation of its own', () => {
    const { windows } = run({
      globalLimitTps: 10_000,
      windows: 2,
      agents: [
        { id: 'a', demandTps: 20_000, initialAllocatedTps: 5_000 },
        { id: 'b', demandTps: 20_000, initialAllocatedTps: 5_000 },
        { id: 'c', demandTps: 492, initialAllocatedTps: 1 },
      ],
    });
    expect(windows[1]?.allocatedTps['c']).toBeCloseTo(1_333.853_302, 5);
  });

  it('raises CV-TPS-001 above 95 % and clears it on a whole minute below 85 %', () => {
    const { windows, summary } = run({
      globalLimitTps: 1_000,
      windows: 12,
      agents: [
        { id: 'steady', demandTps: 300 },
        { id: 'busy', demandTps: 690, runsFrom: 1, runsUntil: 4 },
      ],
    });
    // Utilization is 30 % but for windows 1 to 3; window 4 ends at 150 s, between two checks.
    expect(windows.map(({ alarm }) => alarm)).toEqual([
      null,
      'raised',
      null,
      null,
      null,
      'cleared',
      ...Array.from({ length: 6 }, () => null),
    ]);
    expect(summary.alarmsRaised).toBe(1);
  });

  it('checks alarms every minute inside windows that are longer', () => {
    const { windows } = run({
      globalLimitTps: 1_000,
      windowSeconds: 300,
      windows: 4,
      agents: [
        { id: 'busy', demandTps: 990, runsUntil: 1 },
        { id: 'steady', demandTps: 10 },
      ],
    });
    expect(windows.map(({ alarm }) => alarm)).toEqual(['raised', 'cleared', null, null]);
  });

  it('shows an empty window when nobody runs', () => {
    const { windows, summary } = run({
      globalLimitTps: 500,
      windows: 2,
      agents: [{ id: '__proto__', demandTps: 100, runsFrom: 1 }],
    });
    expect(windows[0]).toMatchObject({ usedPercent: 0, utilizationPercent: 0, alarm: null });
    expect(Object.entries(windows[1]?.allocatedTps ?? {})).toEqual([['__proto__', 500]]);
    expect(summary.meanUsedPercent).toBe(10);
  });
});

describe('a scenario file', () => {
  it('may leave out what has a default', () => {
    expect(read({ globalLimitTps: 40, windows: 3, agents: [{ id: 'a', demandTps: 1 }] })).toEqual({
      globalLimitTps: 40,
      windowSeconds: 30,
      windows: 3,
      policy: 'reclaim',
      agents: [{ id: 'a', demandTps: 1, burstTps: 1, initialAllocatedTps: null, runsFrom: 0, runsUntil: null }],
    });
    expect(run({ globalLimitTps: 40, windows: 1, agents: [{ id: 'a', demandTps: 1 }] }).summary.globalLimitTps).toBe(
      100,
    );
  });

  it('counts agents from 1 in their names', () => {
    const { agents } = read({ globalLimitTps: 100, windows: 1, agents: [{ id: 'x', count: 3, demandTps: 1 }] });
    expect(agents.map(({ id }) => id)).toEqual(['x-1', 'x-2', 'x-3']);
  });

  it('lists every problem at once, each with its field, its value and what to write', () => {
    const problems = problemsOf({
      globalLimitTps: 'abc',
      windows: 0,
      windowSeconds: -1,
      policy: 'fair',
      colour: 'red',
      agents: [
        { id: '', demandTps: -5 },
        { id: 'a', demandTps: 1, demand: 3, runsFrom: 4, runsUntil: 4 },
        { id: 'b', count: 1.5, burstTps: null },
        'agent',
        { id: 'a', demandTps: 1 },
      ],
    });
    expect(problems.map(({ field, value }) => [field, value])).toEqual([
      ['colour', '"red"'],
      ['windows', '0'],
      ['globalLimitTps', '"abc"'],
      ['windowSeconds', '-1'],
      ['policy', '"fair"'],
      ['agents[0].demandTps', '-5'],
      ['agents[0].id', '""'],
      ['agents[1].demand', '3'],
      ['agents[1].runsUntil', '4'],
      ['agents[2].demandTps', 'missing'],
      ['agents[2].count', '1.5'],
      ['agents[2].burstTps', 'null'],
      ['agents[3]', '"agent"'],
      ['agents[4].id', '"a"'],
    ]);
    expect(problems.every(({ problem }) => problem.length > 10)).toBe(true);
  });

  it.each([null, 5, 'text', [], {}, { agents: [] }, { globalLimitTps: 100, windows: 1, agents: {} }])(
    'is refused when it is %j',
    (json) => {
      expect(problemsOf(json).length).toBeGreaterThan(0);
    },
  );

  it('is refused when two agents would have one name', () => {
    const problems = problemsOf({
      globalLimitTps: 100,
      windows: 1,
      agents: [
        { id: 'a-2', demandTps: 1 },
        { id: 'a', count: 2, demandTps: 1 },
      ],
    });
    expect(problems).toEqual([{ field: 'agents[1].id', value: '"a"', problem: expect.stringContaining('"a-2"') }]);
  });

  it('is refused when it is too large to play', () => {
    const agents = [{ id: 'a', count: 100_000, demandTps: 1 }];
    expect(problemsOf({ globalLimitTps: 100, windows: 21, agents }).map(({ field }) => field)).toEqual(['windows']);
    const twice = [...agents, { id: 'b', count: 1, demandTps: 1 }];
    expect(problemsOf({ globalLimitTps: 100, windows: 1, agents: twice }).map(({ field }) => field)).toEqual([
      'agents[1].count',
    ]);
    expect(problemsOf({ globalLimitTps: Number.NaN, windows: Number.POSITIVE_INFINITY, agents }).length).toBe(2);
  });
});
