import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadlineAt, MemoryStore, type Draw, type Drawn } from '../../src/index.ts';
import { DeadlineBuckets, type Dated } from '../../src/deadline-buckets.ts';
import { flush, NOON, World } from '../world.ts';

const DAY = 86_400_000;

function draw(world: World, key: string, ms: number, amount = 1, limit = 100): Draw {
  return { key, amount, unit: amount, limit, deadline: deadlineAt(world.nowMs + ms, world.nowMs) };
}

async function take(store: MemoryStore, one: Draw): Promise<Drawn | Error | undefined> {
  const [drawn] = await store.take([one]);
  return drawn;
}

describe('the memory store', () => {
  it('keeps a 30-day and a 366-day counter, with no timer longer than a minute', async () => {
    const world = new World();
    const store = world.memory();
    await take(store, draw(world, 'month', 31 * DAY, 5));
    await take(store, draw(world, 'year', 366 * DAY, 7));
    for (let day = 1; day < 31; day++) {
      await world.advance(DAY);
      expect(await store.read(['month', 'year'])).toEqual([5, 7]);
    }
    await world.advance(2 * DAY);
    expect(store.size).toBe(1);
    expect(world.longestMs).toBeLessThanOrEqual(60_000);
  });

  it('holds nothing once the deadlines are over, without being used', async () => {
    const world = new World();
    const store = world.memory();
    for (let index = 0; index < 25_000; index++)
      await take(store, draw(world, `k${index}`, 1_000 + (index % 7) * 1_000));
    expect(store.size).toBe(25_000);
    await world.advance(10_000);
    expect(store.size).toBe(0);
    expect(world.timersPending).toBe(0);
  });

  it('never sweeps early and never counts after the deadline', async () => {
    const world = new World();
    world.nowMs = NOON + 333;
    const store = world.memory();
    const one = draw(world, 'k', 1_500);
    await take(store, one);
    await world.advance(1_499);
    expect(await store.read(['k'])).toEqual([1]);
    await world.advance(1);
    expect(await store.read(['k'])).toEqual([undefined]);
  });

  it('full of live counters it refuses new ones and loses none', async () => {
    const world = new World();
    const store = new MemoryStore({ clock: world.clock, timers: world.timers, maxEntries: 3 });
    const drawn = [];
    for (const key of ['a', 'b', 'c', 'd', 'a']) drawn.push(await take(store, draw(world, key, 60_000)));
    expect(drawn[3]).toMatchObject({ code: 'store-unavailable' });
    expect(drawn[4]).toMatchObject({ granted: 1, total: 2 });
    await expect(store.takeAll([draw(world, 'a', 60_000), draw(world, 'e', 60_000)])).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    expect(await store.read(['a', 'b', 'c'])).toEqual([2, 1, 1]);
    world.nowMs += 60_000;
    expect(await take(store, draw(world, 'f', 60_000))).toMatchObject({ granted: 1, total: 1 });
  });

  it('may be told to evict instead: then what is due first goes, and it says how many went', async () => {
    const world = new World();
    const store = new MemoryStore({ clock: world.clock, timers: world.timers, maxEntries: 2, whenFull: 'evict' });
    await take(store, draw(world, 'late', 90_000));
    await take(store, draw(world, 'soon', 60_000));
    await take(store, draw(world, 'new', 120_000));
    expect(await store.read(['late', 'soon', 'new'])).toEqual([1, undefined, 1]);
    expect(await store.health()).toMatchObject({ evictionPolicy: 'soonest-deadline', evicted: 1, entries: 2 });
  });

  it('evicts the oldest of those that are due together, so a flood of new subjects cannot keep each other from counting', async () => {
    const world = new World();
    const store = new MemoryStore({ clock: world.clock, timers: world.timers, maxEntries: 3, whenFull: 'evict' });
    for (const key of ['a', 'b', 'c', 'd', 'e']) await take(store, draw(world, key, 60_000));
    expect(await store.read(['a', 'b', 'c', 'd', 'e'])).toEqual([undefined, undefined, 1, 1, 1]);
    await store.remove(['d']);
    for (const key of ['f', 'g']) await take(store, draw(world, key, 60_000));
    expect(await store.read(['c', 'e', 'f', 'g'])).toEqual([undefined, 1, 1, 1]);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses to be bounded by %d entries', (maxEntries) => {
    expect(() => new MemoryStore({ maxEntries })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it('removing and taking again for ever leaves nothing behind', async () => {
    const world = new World();
    const store = world.memory();
    for (let turn = 0; turn < 1_000; turn++) {
      await take(store, draw(world, 'k', 60_000));
      await store.remove(['k']);
    }
    expect(store.size).toBe(0);
    await world.advance(61_000);
    await flush();
    expect(world.timersPending).toBe(0);
  });
});

interface Entry extends Dated {
  readonly name: number;
}

describe('DeadlineBuckets', () => {
  it('agrees with a sorted list, whatever is added, removed and popped', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), deadline: fc.integer({ min: 1, max: 20_000 }) }),
      fc.record({ kind: fc.constant('remove' as const), index: fc.nat() }),
      fc.record({ kind: fc.constant('pop' as const), advance: fc.integer({ min: 0, max: 3_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const buckets = new DeadlineBuckets<Entry>();
        let model: Entry[] = [];
        let nowMs = 0;
        let wrong = 0;
        const second = (entry: Entry): number => Math.ceil(entry.deadline / 1_000);
        for (const [name, one] of steps.entries()) {
          if (one.kind === 'add') {
            const entry: Entry = { name, deadline: one.deadline, previous: undefined, next: undefined };
            buckets.add(entry);
            model.push(entry);
          } else if (one.kind === 'remove') {
            const entry = model[one.index % Math.max(1, model.length)];
            if (entry !== undefined) buckets.remove(entry);
            model = model.filter((other) => other !== entry);
          } else {
            nowMs += one.advance;
            const due = new Set<Entry>();
            for (let popped = buckets.popDue(nowMs); popped !== undefined; popped = buckets.popDue(nowMs))
              due.add(popped);
            wrong += model.filter((entry) => due.has(entry) !== second(entry) * 1_000 <= nowMs).length;
            model = model.filter((entry) => !due.has(entry));
          }
          expect(wrong).toBe(0);
          const soonest = buckets.soonest();
          expect(soonest === undefined ? undefined : second(soonest)).toBe(model.map(second).sort((a, b) => a - b)[0]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
