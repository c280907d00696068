import { deadlineAt } from '@weir/quota';
import type { Draw, GroupDrawn, Store } from '@weir/quota';
import { array, assert, asyncProperty, constantFrom, integer, oneof, record, constant } from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIncrexFront } from '@weir/testkit/redis';
import type { IncrexRedis } from '@weir/testkit/redis';
import { redisPipeline } from '@weir/testkit/redis';
import { startRedis } from '@weir/testkit/redis';
import type { RedisServer } from '@weir/testkit/redis';
import { RedisStore } from '../../src/index.ts';
import { connectClient, undatedOn } from '../support/harness.ts';
import type { Connected } from '../support/harness.ts';

/** What can happen to the counters, the strange included. */
type Step =
  | { readonly kind: 'take'; readonly batch: readonly Wish[] }
  | { readonly kind: 'group'; readonly batch: readonly Wish[] }
  | { readonly kind: 'alike'; readonly keys: readonly string[]; readonly wish: Wish }
  | { readonly kind: 'give-back'; readonly key: string; readonly amount: number }
  | { readonly kind: 'vanish' | 'undate'; readonly key: string };

interface Wish {
  readonly key: string;
  readonly units: number;
  readonly unit: number;
  readonly limit: number;
  /** Says what was seen of the counter before. */
  readonly hinted: boolean;
}

const key = constantFrom('a', 'b', 'c');
const wish: Arbitrary<Wish> = record({
  key,
  units: integer({ min: 1, max: 12 }),
  unit: integer({ min: 1, max: 9 }),
  limit: integer({ min: 0, max: 120 }),
  hinted: constantFrom(true, false),
});
const step: Arbitrary<Step> = oneof(
  { weight: 6, arbitrary: record({ kind: constant('take'), batch: array(wish, { minLength: 1, maxLength: 7 }) }) },
  { weight: 2, arbitrary: record({ kind: constant('group'), batch: array(wish, { minLength: 1, maxLength: 3 }) }) },
  {
    weight: 4,
    arbitrary: record({ kind: constant('alike'), keys: array(key, { minLength: 1, maxLength: 5 }), wish }),
  },
  { weight: 2, arbitrary: record({ kind: constant('give-back'), key, amount: integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: record({ kind: constantFrom('vanish', 'undate'), key }) },
);

const deadline = deadlineAt(Date.now() + 3_600_000, Date.now());

/** The same counters as they should be: what the interface says, in a Map. */
class Model {
  readonly totals = new Map<string, number>();
  /** What this process saw last, with a deadline. */
  readonly seen = new Map<string, number>();

  drawOf({ key, units, unit, limit, hinted }: Wish, whole: boolean): Draw {
    const amount = units * unit;
    const draw = { key, amount, unit: whole ? amount : unit, limit, deadline };
    const seen = this.seen.get(key);
    return hinted && seen !== undefined ? { ...draw, seen } : draw;
  }

  take({ key, amount, unit, limit }: Draw): { granted: number; total: number } {
    const before = this.totals.get(key) ?? 0;
    let granted = amount;
    while (granted > 0 && before + granted > limit) granted -= unit;
    granted = Math.max(0, granted - (granted % unit));
    const total = before + granted;
    if (granted > 0) this.totals.set(key, total);
    this.seen.set(key, total);
    return { granted, total };
  }

  group(draws: readonly Draw[]): Pick<GroupDrawn, 'outcome' | 'refused'> {
    const refused = draws.flatMap((draw, index) =>
      (this.totals.get(draw.key) ?? 0) + draw.amount > draw.limit ? [index] : [],
    );
    if (refused.length > 0) return { outcome: 'refused', refused };
    for (const draw of draws) this.take(draw);
    return { outcome: 'charged', refused };
  }
}

let server: RedisServer;
let front: IncrexRedis;
let connected: Connected;
let viaFront: Connected;

beforeAll(async () => {
  server = await startRedis();
  front = await startIncrexFront(server);
  connected = await connectClient('ioredis', server.port);
  viaFront = await connectClient('node-redis', front.port);
});

afterAll(async () => {
  connected.end();
  viaFront.end();
  await front.close();
  await server.stop();
});

/** Does the step, and says what came out of it and what should have. */
async function apply(store: Store, model: Model, step: Step): Promise<{ actual: unknown; wanted: unknown }> {
  if (step.kind === 'alike') {
    const batch = step.keys.map((one) => ({ ...step.wish, key: one, hinted: true }));
    return apply(store, model, { kind: 'take', batch });
  }
  if (step.kind === 'take') {
    const draws = step.batch.map((one) => model.drawOf(one, false));
    const drawn = await store.take(draws);
    const actual = drawn.map((one) => (one instanceof Error ? one : { granted: one.granted, total: one.total }));
    return { actual, wanted: draws.map((draw) => model.take(draw)) };
  }
  if (step.kind === 'group') {
    const distinct = [...new Map(step.batch.map((one) => [one.key, one])).values()];
    const draws = distinct.map((one) => model.drawOf(one, true));
    const { outcome, refused } = await store.takeAll(draws);
    return { actual: { outcome, refused }, wanted: model.group(draws) };
  }
  const total = model.totals.get(step.key);
  if (step.kind === 'give-back') {
    const left = total === undefined ? undefined : Math.max(0, total - step.amount);
    if (left !== undefined) model.totals.set(step.key, left);
    const actual = await store.giveBack([{ key: step.key, amount: step.amount, deadline }]);
    return { actual, wanted: [left] };
  }
  if (step.kind === 'vanish') {
    await server.command('DEL', step.key);
    model.totals.delete(step.key);
  } else {
    // Nothing takes a deadline away while a process vouches for it; other programs leave undated counters from the start.
    await server.command('PERSIST', step.key);
    model.seen.delete(step.key);
  }
  return { actual: step.kind, wanted: step.kind };
}

describe.each(['script', 'fast path', 'INCREX'] as const)('by %s', (way) => {
  test('whatever happens, every draw gets what the interface says, and every counter that was drawn from is dated', async () => {
    const store = new RedisStore({
      client: way === 'INCREX' ? viaFront.client : connected.client,
      fastPath: way === 'fast path',
    });
    expect((await store.probe()).mechanism).toBe(way === 'INCREX' ? 'INCREX' : 'script');
    await assert(
      asyncProperty(array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await redisPipeline(server.port, [['DEL', 'a', 'b', 'c']]);
        const model = new Model();
        for (const one of steps) {
          const { actual, wanted } = await apply(store, model, one);
          expect(actual).toEqual(wanted);
        }
        const names = ['a', 'b', 'c'];
        const totals = await store.read(names);
        expect(totals.map((total) => total ?? 0)).toEqual(names.map((name) => model.totals.get(name) ?? 0));
        // One more draw each heals what others left undated.
        await store.take(names.map((name) => ({ key: name, amount: 1, unit: 1, limit: 1_000, deadline })));
        expect(await undatedOn(server)).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test('the largest limit of all is kept to the last unit', async () => {
    const store = new RedisStore({
      client: way === 'INCREX' ? viaFront.client : connected.client,
      fastPath: way === 'fast path',
    });
    await store.probe();
    const limit = Number.MAX_SAFE_INTEGER;
    for (const room of [0, 1, 2, 3, 4, 5]) {
      for (const amount of [1, 2, 3, 4, 5, 6, 7]) {
        for (const hint of [{}, { seen: 5 }, { seen: limit - room }]) {
          await server.command('SET', 'a', String(limit - room), 'PXAT', String(deadline));
          const drawn = await store.take([{ key: 'a', amount, unit: 1, limit, deadline, ...hint }]);
          const granted = Math.min(room, amount);
          expect(drawn).toEqual([expect.objectContaining({ granted })]);
          expect(await server.command('GET', 'a')).toBe(String(limit - room + granted));
        }
      }
    }
  });
});
