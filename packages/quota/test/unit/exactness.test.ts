import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Breaker } from '../../src/breaker.ts';
import { Counter, type WaitingTake } from '../../src/counter.ts';
import { deadlineAt } from '../../src/deadlines.ts';
import type { Decision } from '../../src/index.ts';
import { admittedOf, planDraws, type PlannedDraw } from '../../src/split.ts';
import { checkDefinition } from '../../src/rules.ts';
import { flush, NOON, RemoteStore, World, nth } from '../world.ts';

const costs = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 });

describe('many engines on one store', () => {
  it('never admit more than the limit, spend nothing on a refusal, and leave nothing that would have fitted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.integer({ min: 0, max: 300 }),
        fc.array(costs, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(0, 1, 20),
        async (seed, limit, perEngine, lease) => {
          const world = new World(seed);
          const memory = world.memory();
          const decisions: Decision[] = [];
          const engines = perEngine.map(() =>
            world.open(new RemoteStore(world, memory, () => 1 + world.random() * 20)),
          );
          const definition = { id: 'q', limit, period: 'day' as const, budgetMs: 60_000, denyRecheckMs: 0 };
          const quotas = engines.map((engine) =>
            engine.define(lease > 0 && lease <= limit ? { ...definition, lease } : definition),
          );
          const runs = perEngine.flatMap((list, index) => {
            const quota = nth(quotas, index);
            return list.map(async (cost) => {
              await pause(world, Math.floor(world.random() * 40));
              decisions.push(await quota.take('s', cost));
            });
          });
          await world.settle(Promise.all(runs));
          const admitted = decisions.filter((one) => one.allowed).reduce((sum, one) => sum + one.cost, 0);
          expect(admitted).toBeLessThanOrEqual(limit);
          // What blocks still hold goes back; then the counter is exactly what was admitted.
          await world.settle(Promise.all(engines.map((engine) => engine.close())));
          await world.advance(100);
          const [total] = await memory.read(['wq1:q:{s}:2026-11-30']);
          expect(total ?? 0).toBe(admitted);
          for (const one of decisions) expect(one.used).toBeLessThanOrEqual(limit);
          // A refusal was right when it was made: without blocks the counter only grows.
          const wrong = decisions.filter((one) => !one.allowed && lease === 0 && one.cost <= limit - admitted);
          expect(wrong).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('fill the limit to the last unit with takes of one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 6 }),
        async (seed, limit, count) => {
          const world = new World(seed);
          const memory = world.memory();
          const quotas = Array.from({ length: count }, () =>
            world
              .open(new RemoteStore(world, memory, () => 1 + world.random() * 9))
              .define({ id: 'q', limit, period: 'hour' }),
          );
          const decisions = await world.settle(
            Promise.all(Array.from({ length: limit + 50 }, (_, index) => nth(quotas, index).take('s'))),
          );
          expect(decisions.filter((one) => one.allowed)).toHaveLength(limit);
          expect(new Set(decisions.filter((one) => one.allowed).map((one) => one.used)).size).toBe(limit);
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function pause(world: World, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    world.timers.set(resolve, ms);
  });
}

function plan(counter: Counter, takes: readonly WaitingTake[]): PlannedDraw[] {
  const planned: PlannedDraw[] = [];
  planDraws(counter, takes, NOON, planned);
  return planned;
}

describe('coalescing', () => {
  it('one tick of takes on one counter is one increment', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    const quota = world.open(store).define({ id: 'q', limit: 10, period: 'day' });
    const decisions = await world.settle(Promise.all(Array.from({ length: 15 }, () => quota.take('s'))));
    expect(store.draws).toEqual([[expect.objectContaining({ amount: 15, unit: 1, limit: 10 })]]);
    expect(decisions.map((one) => one.allowed)).toEqual([
      ...Array<boolean>(10).fill(true),
      ...Array<boolean>(5).fill(false),
    ]);
    expect(decisions.map((one) => one.used)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 10, 10]);
  });

  it('takes that come while a draw is under way travel together with the next one', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory(), () => 10);
    const quota = world.open(store).define({ id: 'q', limit: 1_000, period: 'day' });
    const all = [quota.take('s')];
    await flush();
    for (let turn = 0; turn < 100; turn++) {
      all.push(quota.take('s'));
      await flush();
    }
    await world.settle(Promise.all(all));
    expect(store.draws.map((batch) => batch.map((draw) => draw.amount))).toEqual([[1], [100]]);
  });

  it('takes that did not fit together are tried one by one before those that came later', async () => {
    const world = new World();
    const memory = world.memory();
    const definition = { id: 'q', limit: 10, period: 'day' as const };
    await world.settle(world.open(new RemoteStore(world, memory)).define(definition).take('s', 5));
    const quota = world.open(new RemoteStore(world, memory, () => 10)).define(definition);
    const early = [quota.take('s', 3), quota.take('s', 4)];
    await flush();
    const late = quota.take('s', 5);
    const decisions = await world.settle(Promise.all([...early, late]));
    expect(decisions.map((one) => [one.allowed, one.used])).toEqual([
      [true, 8],
      [false, 8],
      [false, 8],
    ]);
  });

  it('different subjects of one tick travel in one call', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    const quotas = world.open(store);
    const [a, b] = [
      quotas.define({ id: 'a', limit: 5, period: 'day' }),
      quotas.define({ id: 'b', limit: 5, period: 'hour' }),
    ];
    await world.settle(Promise.all([a.take('x'), a.take('y'), b.take('x'), a.take('x')]));
    expect(store.draws.map((batch) => batch.length)).toEqual([3]);
  });

  it('a grant that is no multiple of the cost admits whole takes only', () => {
    expect([0, 3, 4, 7, 8].map((granted) => admittedOf(granted, 4))).toEqual([0, 0, 1, 1, 2]);
  });

  it('the split among mixed costs is what drawing them one after the other would give', () => {
    const rules = checkDefinition({ id: 'q', limit: 0, period: 'day' }, new World().memory().profile);
    const period = { id: '2026-11-30', startMs: 0, endMs: NOON, deadline: deadlineAt(NOON + 1, NOON) };
    fc.assert(
      fc.property(
        costs,
        fc.integer({ min: 0, max: 400 }),
        fc.nat({ max: 400 }),
        fc.boolean(),
        (list, limit, start, seen) => {
          const counter = new Counter(rules, 's', 'wq1:q:{s}:', period, { name: '', breaker: new Breaker() }, 'e');
          if (seen) counter.heard(start, NOON);
          const takes = list.map((cost): WaitingTake => ({
            cost,
            limit,
            atMs: NOON,
            answer: () => undefined,
            retried: false,
          }));
          let total = start;
          const admitted = new Set<WaitingTake>();
          let planned = plan(counter, takes);
          for (let round = 0; round < 2; round++) {
            let again: readonly WaitingTake[] = [];
            for (const { kind, draw, takes: own } of planned) {
              const room = draw.limit - total;
              const granted = room >= draw.amount ? draw.amount : Math.max(0, Math.floor(room / draw.unit)) * draw.unit;
              total += granted;
              if (kind === 'whole' && granted === 0) again = own;
              else
                for (const take of own.slice(0, kind === 'run' ? admittedOf(granted, own[0]?.cost ?? 1) : own.length))
                  admitted.add(take);
            }
            counter.splitNext = true;
            planned = again.length > 0 ? plan(counter, again) : [];
          }
          let model = start;
          const expected = takes.filter(({ cost }) => {
            if (cost > limit - model) return false;
            model += cost;
            return true;
          });
          expect([...admitted]).toEqual(expected);
          expect(total).toBe(model);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
