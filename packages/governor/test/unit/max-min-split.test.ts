import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxMinAllocation, type RunningAgent } from '../../src/index.ts';
import { MaxMinSplit } from '../../src/max-min-split.ts';
import { limits } from './fleets.ts';

const rates = fc.oneof(
  fc.constantFrom(0, 1, 5, 80, 90, 100, 1e9),
  fc.double({ min: 0, max: 6, noNaN: true }),
  fc.double({ min: 0, max: 20_000, noNaN: true }),
);
const weights = fc.oneof(fc.constant(1), fc.constantFrom(0.1, 2, 100), fc.double({ min: 0.1, max: 100, noNaN: true }));
const wish = fc.record({
  allocatedTps: rates,
  actualTps: fc.option(rates),
  limited: fc.boolean(),
  weight: weights,
  minimumTps: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 500, noNaN: true })),
});
const fleets = fc
  .array(wish, { maxLength: 150, size: 'max' })
  .map((wishes): RunningAgent[] => wishes.map((agent, index) => ({ id: `agent-${index}`, ...agent })));

type Step =
  | { do: 'put'; who: number; agent: Omit<RunningAgent, 'id'> }
  | { do: 'remove'; who: number }
  | { do: 'limit'; limit: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), who: fc.nat(60), agent: wish }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), who: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), limit: limits }) },
);

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

describe('max-min with weights, minimums and agents that want it all', () => {
  it('gives out the whole budget, at least 1 TPS each, whatever the fleet wants', () => {
    fc.assert(
      fc.property(limits, fleets, (limit, agents) => {
        const budget = Math.max(100, limit);
        const values = [...maxMinAllocation(limit, agents).values()];
        const expected = agents.length === 0 ? 0 : Math.max(budget, agents.length);
        expect(Math.abs(sum(values) - expected)).toBeLessThanOrEqual(1e-9 * expected);
        expect(values.every((tps) => tps >= 1 - 1e-9)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('nobody who lacks something has less per weight than somebody above its minimum', () => {
    fc.assert(
      fc.property(limits, fleets, (limit, agents) => {
        fc.pre(agents.length < Math.max(100, limit));
        const allocation = maxMinAllocation(limit, agents);
        const perWeight = agents.map((agent) => (allocation.get(agent.id) ?? 0) / (agent.weight ?? 1));
        const aboveMinimum = agents.map(
          (agent, index) =>
            (perWeight[index] ?? 0) > (Math.max(1, agent.minimumTps ?? 0) * (1 + 1e-9)) / (agent.weight ?? 1),
        );
        const highest = Math.max(0, ...perWeight.filter((_, index) => aboveMinimum[index]));
        for (const [index, agent] of agents.entries()) {
          if (agent.actualTps === null) continue;
          const wants = agent.limited === true ? Number.POSITIVE_INFINITY : Math.max(1, agent.actualTps);
          const lacks = (allocation.get(agent.id) ?? 0) < wants * (1 - 1e-9);
          expect(lacks ? perWeight[index] : highest).toBeGreaterThanOrEqual(highest * (1 - 1e-9));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps what is promised: an agent has its minimum, or what it used, unless promises exceed the budget', () => {
    fc.assert(
      fc.property(fc.integer({ min: 80_000, max: 1_000_000 }), fleets, (limit, agents) => {
        const allocation = maxMinAllocation(limit, agents);
        for (const { id, actualTps, minimumTps = 0, limited } of agents) {
          const uses = limited === true || actualTps === null ? Number.POSITIVE_INFINITY : actualTps;
          expect(allocation.get(id) ?? 0).toBeGreaterThanOrEqual(Math.min(minimumTps, uses) * (1 - 1e-9));
        }
      }),
    );
  });

  it('shares what is scarce by weight', () => {
    const hungry = { allocatedTps: 100, actualTps: 100, limited: true };
    const allocation = maxMinAllocation(1_000, [
      { id: 'gold', ...hungry, weight: 3 },
      { id: 'plain', ...hungry },
      { id: 'promised', ...hungry, minimumTps: 400 },
    ]);
    expect([...allocation.values()].map((tps) => Math.round(tps * 1e6) / 1e6)).toEqual([450, 150, 400]);
  });

  it('leaves at most 0.8 % of the budget idle while one of ten is hungry and the others use what they did', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 900, noNaN: true }), { minLength: 9, maxLength: 9 }), (uses) => {
        const others = uses.map((actualTps, index) => ({ id: `a${index}`, allocatedTps: 1_000, actualTps }));
        const allocation = maxMinAllocation(10_000, [
          ...others,
          { id: 'hungry', allocatedTps: 1_000, actualTps: 30_000 },
        ]);
        const used = sum(others.map(({ id, actualTps }) => Math.min(actualTps, allocation.get(id) ?? 0)));
        const idle = 10_000 - used - Math.min(30_000, allocation.get('hungry') ?? 0);
        expect(idle).toBeLessThanOrEqual(80 + 9);
      }),
    );
  });

  it('answers at every step of any history as a pass over the fleet does', () => {
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 120, size: 'max' }), (firstLimit, steps) => {
        const split = new MaxMinSplit(firstLimit);
        const agents = new Map<string, RunningAgent>();
        let limit = firstLimit;
        for (const next of steps) {
          if (next.do === 'limit') split.globalLimitTps = limit = next.limit;
          else if (next.do === 'remove') {
            split.remove(`agent-${next.who}`);
            agents.delete(`agent-${next.who}`);
          } else {
            const agent = { id: `agent-${next.who}`, ...next.agent };
            split.put(agent);
            agents.set(agent.id, agent);
          }
          const reference = maxMinAllocation(limit, [...agents.values()]);
          expect(split.size).toBe(reference.size);
          for (const [id, tps] of reference) {
            const given = split.nextTps(id) ?? Number.NaN;
            if (!(Math.abs(given - tps) <= 1e-8 * Math.max(1, tps))) throw new Error(`${id}: ${given}, not ${tps}`);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('counts the hungry, and explains each share by numbers that lead to it', () => {
    fc.assert(
      fc.property(limits, fleets, (limit, agents) => {
        const split = new MaxMinSplit(limit);
        for (const agent of agents) split.put(agent);
        const hungry = agents.filter(
          ({ limited, actualTps, allocatedTps }) =>
            limited === true || (actualTps !== null && actualTps >= allocatedTps),
        );
        expect(split.hungry).toBe(hungry.length);
        for (const { id } of agents) {
          const why = split.explain(id);
          expect(why).toMatchObject({ activeAgents: agents.length, hungryAgents: hungry.length });
          expect(why?.shareTps).toBe(split.nextTps(id));
        }
      }),
    );
  });
});
