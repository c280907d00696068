import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reclaimAllocation, type RunningAgent } from '../../src/index.ts';
import { FleetSplit } from '../../src/fleet-split.ts';
import { OrderedTallies, type Place } from '../../src/ordered-tallies.ts';
import { fleet, limits } from './fleets.ts';

/** Largest difference of any agent's answer from a full recompute, in parts of that answer (or of 1 TPS). */
function worstDifference(split: FleetSplit, limit: number, agents: Iterable<RunningAgent>): number {
  const reference = reclaimAllocation(limit, [...agents]);
  if (split.size !== reference.size) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (const [id, tps] of reference) {
    worst = Math.max(worst, Math.abs((split.nextTps(id) ?? Number.POSITIVE_INFINITY) - tps) / Math.max(1, tps));
  }
  return worst;
}

function tally(keys: readonly number[]): { count: number; sum: number } {
  return { count: keys.length, sum: keys.reduce((sum, key) => sum + key, 0) };
}

type Step =
  | { do: 'put'; who: number; allocatedTps: number; actualTps: number | null }
  | { do: 'remove'; who: number }
  | { do: 'limit'; limit: number };

const numbers = fc.oneof(
  fc.constantFrom(0, 0.5, 1, 2, 5, 80, 90, 100),
  fc.double({ min: 0, max: 6, noNaN: true }),
  fc.double({ min: 0, max: 20_000, noNaN: true }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      who: fc.nat(60),
      allocatedTps: numbers,
      actualTps: fc.option(numbers),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), who: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), limit: limits }) },
);

describe('the split without a pass over the fleet', () => {
  it('gives the answers of the full recompute, for any fleet', () => {
    fc.assert(
      fc.property(limits, fleet(), (limit, agents) => {
        const split = new FleetSplit(limit);
        for (const agent of agents) split.put(agent);
        expect(worstDifference(split, limit, agents)).toBeLessThanOrEqual(1e-9);
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the answers of the full recompute at every step of any history', () => {
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 150, size: 'max' }), (firstLimit, steps) => {
        const split = new FleetSplit(firstLimit);
        const agents = new Map<string, RunningAgent>();
        let limit = firstLimit;
        for (const next of steps) {
          if (next.do === 'limit') split.globalLimitTps = limit = next.limit;
          else if (next.do === 'remove') {
            split.remove(`agent-${next.who}`);
            agents.delete(`agent-${next.who}`);
          } else {
            const agent = { id: `agent-${next.who}`, allocatedTps: next.allocatedTps, actualTps: next.actualTps };
            split.put(agent);
            agents.set(agent.id, agent);
          }
          expect(worstDifference(split, limit, agents.values())).toBeLessThanOrEqual(1e-9);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives the answers of the full recompute to fleets at the edge of 1 TPS each', () => {
    const crowded = fc.array(
      fc.tuple(fc.double({ min: 0, max: 4, noNaN: true }), fc.double({ min: 0, max: 4, noNaN: true })),
      {
        minLength: 40,
        maxLength: 400,
        size: 'max',
      },
    );
    fc.assert(
      fc.property(crowded, fc.double({ min: 0.9, max: 6, noNaN: true }), (pairs, tpsEach) => {
        const limit = Math.max(100, Math.round(pairs.length * tpsEach));
        const agents = pairs.map(([allocatedTps, actualTps], index) => ({
          id: `agent-${index}`,
          allocatedTps,
          actualTps,
        }));
        const split = new FleetSplit(limit);
        for (const agent of agents) split.put(agent);
        expect(worstDifference(split, limit, agents)).toBeLessThanOrEqual(1e-9);
        for (const agent of agents.splice(0, 30)) split.remove(agent.id);
        expect(worstDifference(split, limit, agents)).toBeLessThanOrEqual(1e-9);
      }),
      { numRuns: 500 },
    );
  });

  it('knows nothing of an agent that is not in it', () => {
    const split = new FleetSplit(100);
    expect(split.nextTps('nobody')).toBeUndefined();
    split.remove('nobody');
    expect(split.size).toBe(0);
  });
});

describe('ordered tallies', () => {
  it('count and sum like a sorted list, whatever is added and removed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: -20, max: 20 })), { maxLength: 200 }), (steps) => {
        const order = new OrderedTallies<number>();
        const places: { place: Place; key: number }[] = [];
        for (const [remove, value] of steps) {
          if (remove && places.length > 0) {
            const [place] = places.splice(Math.abs(value) % places.length, 1);
            if (place !== undefined) order.remove(place.place);
          } else places.push({ place: order.add(value, value), key: value });
          const keys = places.map(({ key }) => key).sort((a, b) => a - b);
          expect(order.total).toMatchObject(tally(keys));
          expect(order.atOrAbove(value)).toEqual(tally(keys.filter((key) => key >= value)));
          expect(order.below(value)).toEqual(tally(keys.filter((key) => key < value)));
          expect(order.between(value, value + 7)).toEqual(keys.filter((key) => key >= value && key < value + 7));
        }
      }),
    );
  });

  it('refuses to take a value out twice', () => {
    const order = new OrderedTallies<string>();
    const place = order.add(1, 'a');
    order.remove(place);
    expect(() => order.remove(place)).toThrow('not in this order');
  });
});
