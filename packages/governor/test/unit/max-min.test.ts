import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxMinAllocation } from '../../src/index.ts';
import { fleet, limits } from './fleets.ts';

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

describe('the max-min policy', () => {
  it('lets modest agents keep what they use and a little, and gives the hungry the rest', () => {
    const allocation = maxMinAllocation(10_000, [
      { id: 'hungry', allocatedTps: 10_000 / 3, actualTps: 20_000 },
      { id: 'modest', allocatedTps: 10_000 / 3, actualTps: 500 },
      { id: 'middling', allocatedTps: 10_000 / 3, actualTps: 1_000 },
    ]);
    const headroom = (0.008 * 10_000) / (500 + 1_000 + (2 * 10_000) / 3);
    expect(allocation.get('modest')).toBeCloseTo(500 * (1 + headroom), 6);
    expect(allocation.get('middling')).toBeCloseTo(1_000 * (1 + headroom), 6);
    expect(allocation.get('hungry')).toBeCloseTo(8_500 - 1_500 * headroom, 6);
  });

  it('splits equally among the hungry, but gives none more than it wants', () => {
    const allocation = maxMinAllocation(9_000, [
      { id: 'a', allocatedTps: 3_000, actualTps: 9_000 },
      { id: 'b', allocatedTps: 3_000, actualTps: 9_000 },
      { id: 'c', allocatedTps: 1_000, actualTps: 1_000 },
    ]);
    const modest = 1_000 * (1 + (0.008 * 9_000) / (1_000 + 2 * 6_000));
    expect(allocation.get('c')).toBeCloseTo(modest, 6);
    expect(allocation.get('a')).toBeCloseTo((9_000 - modest) / 2, 6);
    expect(allocation.get('b')).toBeCloseTo((9_000 - modest) / 2, 6);
  });

  it('shares what nobody needs as headroom, alike for all', () => {
    const allocation = maxMinAllocation(1_000, [
      { id: 'a', allocatedTps: 500, actualTps: 100 },
      { id: 'b', allocatedTps: 500, actualTps: 0 },
    ]);
    expect(Object.fromEntries(allocation)).toEqual({ a: 105 + 446.975, b: 1.05 + 446.975 });
  });

  it('gives an agent that has not reported yet its equal share', () => {
    const allocation = maxMinAllocation(1_000, [
      { id: 'a', allocatedTps: 1_000, actualTps: 5_000 },
      { id: 'b', allocatedTps: 0, actualTps: null },
    ]);
    expect(allocation.get('a')).toBeCloseTo(500, 6);
    expect(allocation.get('b')).toBeCloseTo(500, 6);
  });

  it('always gives out the whole budget, at least 1 TPS each; with more agents than TPS exactly 1 each', () => {
    fc.assert(
      fc.property(limits, fleet(), (limit, agents) => {
        const budget = Math.max(100, limit);
        const values = [...maxMinAllocation(limit, agents).values()];
        const expected = agents.length === 0 ? 0 : Math.max(budget, agents.length);
        expect(Math.abs(sum(values) - expected)).toBeLessThanOrEqual(1e-9 * budget);
        expect(values.every((tps) => tps >= 1 && (agents.length < budget || tps === 1))).toBe(true);
      }),
    );
  });

  it('takes nothing from an agent that lacks something to give it to one that has more', () => {
    fc.assert(
      fc.property(limits, fleet(), (limit, agents) => {
        const allocation = maxMinAllocation(limit, agents);
        const highest = Math.max(0, ...allocation.values());
        for (const { id, actualTps } of agents) {
          const tps = allocation.get(id) ?? 0;
          // Whoever lacks something stands at the highest level that anybody has.
          const lacks = actualTps !== null && tps < Math.max(1, actualTps) * (1 - 1e-9);
          expect(lacks ? tps : highest).toBeGreaterThanOrEqual(highest * (1 - 1e-9));
        }
      }),
    );
  });

  it('wanting more never gives less, all else equal, and the order of the agents does not matter', () => {
    fc.assert(
      fc.property(
        limits,
        fleet(),
        fc.nat(),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (limit, agents, at, more) => {
          const before = maxMinAllocation(limit, agents);
          const wanting = agents[at % Math.max(1, agents.length)];
          const greedier = agents
            .map((agent) =>
              agent === wanting && agent.actualTps !== null ? { ...agent, actualTps: agent.actualTps + more } : agent,
            )
            .toReversed();
          const after = maxMinAllocation(limit, greedier);
          const id = wanting?.id ?? '';
          expect(after.get(id) ?? 0).toBeGreaterThanOrEqual((before.get(id) ?? 0) * (1 - 1e-9));
        },
      ),
    );
  });

  it('is right one window after a change of demand, and then stays', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 100_000 }),
        fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 1, maxLength: 30 }),
        (limit, demands) => {
          const recompute = (runsWith: readonly number[]): number[] => [
            ...maxMinAllocation(
              limit,
              demands.map((actualTps, index) => ({ id: `a${index}`, allocatedTps: runsWith[index] ?? 0, actualTps })),
            ).values(),
          ];
          const once = recompute(demands.map(() => limit / demands.length));
          const served = (given: readonly number[]): number =>
            sum(demands.map((tps, index) => Math.min(tps, given[index] ?? 0)));
          const best = Math.min(limit, sum(demands));
          // At most the headroom of those who have enough stays unused, and the 1 TPS of idle ones.
          expect(served(once)).toBeGreaterThanOrEqual(best - 0.0081 * limit - demands.length);
          expect(served(recompute(once))).toBeGreaterThanOrEqual(best - 0.0081 * limit - demands.length);
        },
      ),
    );
  });
});
