import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appetiteOf, equalSplit, reclaimAllocation, type RunningAgent } from '../../src/index.ts';
import { fleet, limits, within } from './fleets.ts';

interface Case {
  name: string;
  globalLimitTps: number;
  agents: RunningAgent[];
  next: Record<string, number>;
}

const vectors: { cases: Case[] } = JSON.parse(
  readFileSync(new URL('../vectors/allocation.json', import.meta.url), 'utf8'),
);

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
const budgetOf = (limit: number, agents: readonly unknown[]): number => Math.max(100, limit, agents.length);

describe('one recompute', () => {
  it.each(vectors.cases)(
    'agrees with the published answer to 6 decimals: $name',
    ({ globalLimitTps, agents, next }) => {
      const allocation = reclaimAllocation(globalLimitTps, agents);
      expect([...allocation.keys()].sort()).toEqual(Object.keys(next).sort());
      for (const [id, tps] of Object.entries(next)) {
        expect(Math.abs((allocation.get(id) ?? Number.NaN) - tps)).toBeLessThan(1e-6);
      }
    },
  );

  it('judges 90 % as hungry, 80 % as steady, and an agent that has not reported as steady', () => {
    expect(appetiteOf({ allocatedTps: 100, actualTps: 90 })).toBe('hungry');
    expect(appetiteOf({ allocatedTps: 100, actualTps: 89.99 })).toBe('steady');
    expect(appetiteOf({ allocatedTps: 100, actualTps: 80 })).toBe('steady');
    expect(appetiteOf({ allocatedTps: 100, actualTps: 79.99 })).toBe('slack');
    expect(appetiteOf({ allocatedTps: 100, actualTps: null })).toBe('steady');
    expect(appetiteOf({ allocatedTps: 0, actualTps: 1 })).toBe('hungry');
    expect(appetiteOf({ allocatedTps: 0, actualTps: 0 })).toBe('steady');
  });

  it('lets the others pay in proportion when somebody is lifted to 1 TPS', () => {
    const agents = Array.from({ length: 90 }, (_, index) => ({
      id: `agent-${index}`,
      allocatedTps: index === 0 ? 400 : index === 1 ? 200 : 0.1,
      actualTps: index < 2 ? 1_000 : 0,
    }));
    const allocation = reclaimAllocation(100, agents);
    const values = [...allocation.values()];
    expect(sum(values)).toBeCloseTo(100, 9);
    expect(values.slice(2).every((tps) => tps === 1)).toBe(true);
    const base = 100 / 90;
    const bonus = (88 * 0.5 * base) / 2;
    const [first = 0, second = 0] = [400, 200].map((runsWith) => 0.4 * (base + bonus) + 0.6 * runsWith);
    expect((values[0] ?? 0) / (values[1] ?? 1)).toBeCloseTo(first / second, 9);
  });

  it('splits equally with at least 1 TPS each', () => {
    expect(equalSplit(10_000, 3)).toBe(10_000 / 3);
    expect(equalSplit(40, 2)).toBe(50);
    expect(equalSplit(100, 150)).toBe(1);
    expect(equalSplit(100, 0)).toBe(100);
  });
});

describe('for every fleet', () => {
  it('the sum stays within the budget, unless there are more agents than TPS', () => {
    fc.assert(
      fc.property(limits, fleet(), (limit, agents) => {
        expect(within(sum(reclaimAllocation(limit, agents).values()), budgetOf(limit, agents))).toBe(true);
      }),
    );
  });

  it('nobody gets less than 1 TPS, and with more agents than TPS everybody gets exactly 1', () => {
    fc.assert(
      fc.property(limits, fleet(), (limit, agents) => {
        const values = [...reclaimAllocation(limit, agents).values()];
        const crowded = agents.length >= Math.max(100, limit);
        expect(values.every((tps) => Number.isFinite(tps) && (crowded ? tps === 1 : tps >= 1))).toBe(true);
      }),
    );
  });

  it('the order of the agents does not matter', () => {
    fc.assert(
      fc.property(limits, fleet(), fc.infiniteStream(fc.nat()), (limit, agents, keys) => {
        const shuffled = agents
          .map((agent) => ({ agent, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ agent }) => agent);
        const one = reclaimAllocation(limit, agents);
        const other = reclaimAllocation(limit, shuffled);
        for (const [id, tps] of one) {
          expect(Math.abs((other.get(id) ?? Number.NaN) - tps)).toBeLessThanOrEqual(1e-9 * Math.max(1, tps));
        }
      }),
    );
  });

  it('wanting more never gives less, all else equal', () => {
    fc.assert(
      fc.property(
        limits,
        fleet(),
        fc.nat(),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (limit, agents, at, more) => {
          const wanting = agents[at % Math.max(1, agents.length)];
          if (wanting === undefined || wanting.actualTps === null) return;
          const before = reclaimAllocation(limit, agents).get(wanting.id) ?? 0;
          const greedier = agents.map((agent) =>
            agent === wanting ? { ...agent, actualTps: (wanting.actualTps ?? 0) + more } : agent,
          );
          const after = reclaimAllocation(limit, greedier).get(wanting.id) ?? 0;
          expect(after).toBeGreaterThanOrEqual(before * (1 - 1e-9));
        },
      ),
    );
  });

  it('when nobody is hungry everybody moves to the base share, used or not', () => {
    fc.assert(
      fc.property(limits, fleet({ hungry: false }), (limit, agents) => {
        const budget = Math.max(100, limit);
        if (sum(agents.map((agent) => agent.allocatedTps)) > budget || agents.length * 3 > budget) return;
        const allocation = reclaimAllocation(limit, agents);
        for (const { id, allocatedTps } of agents) {
          expect(allocation.get(id)).toBeCloseTo((0.4 * budget) / agents.length + 0.6 * allocatedTps, 6);
        }
      }),
    );
  });

  it('recomputing again from the same reports gives the same answer: nothing moves inside a window', () => {
    fc.assert(
      fc.property(limits, fleet(), (limit, agents) => {
        const first = reclaimAllocation(limit, agents);
        for (let again = 0; again < 10; again += 1) expect(reclaimAllocation(limit, agents)).toEqual(first);
      }),
      { numRuns: 50 },
    );
  });

  it('converges to within 8 % of its goal in 5 heartbeats while demand holds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 100_000 }),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 1, max: 19 }),
        fc.double({ min: 0, max: 0.15, noNaN: true }),
        (limit, size, hungryWanted, slackPart) => {
          const hungry = Math.min(hungryWanted, size - 1);
          const base = limit / size;
          const demand = Array.from({ length: size }, (_, index) => (index < hungry ? limit * 10 : base * slackPart));
          const pool = (size - hungry) * 0.5 * (base - base * slackPart);
          const goal = demand.map((_, index) =>
            index < hungry ? base + pool / hungry : base - 0.5 * (base - base * slackPart),
          );
          let runsWith = demand.map(() => base);
          for (let heartbeat = 0; heartbeat < 5; heartbeat += 1) {
            const agents = demand.map((tps, index) => ({
              id: `a${index}`,
              allocatedTps: runsWith[index] ?? 0,
              actualTps: tps,
            }));
            runsWith = [...reclaimAllocation(limit, agents).values()];
          }
          // 0.6^5 = 7.8 % of the distance is left.
          runsWith.forEach((tps, index) => {
            const distance = Math.abs((goal[index] ?? 0) - base);
            expect(Math.abs(tps - (goal[index] ?? 0))).toBeLessThanOrEqual(0.0778 * distance + 1e-6);
          });
        },
      ),
    );
  });
});
