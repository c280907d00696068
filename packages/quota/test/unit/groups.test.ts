import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBackend, OpaqueStore } from '../../../quota-conformance/src/index.ts';
import type { Decision, GroupDecision, Store } from '../../src/index.ts';
import { RemoteStore, World, nth } from '../world.ts';

/** Stores that charge a group in one step, and one that does it stepwise. */
const stores = [
  [
    'in one step',
    (world: World): (() => Store) => {
      const memory = world.memory();
      return () => memory;
    },
  ],
  [
    'stepwise',
    (world: World): (() => Store) => {
      const backend = new MemoryBackend(world.clock);
      return () => new OpaqueStore(backend);
    },
  ],
] as const;

describe.each(stores)('a group that is charged %s', (_, makeInner) => {
  it('is charged whole or not at all, and says who refused', async () => {
    const world = new World();
    const store = new RemoteStore(world, makeInner(world)());
    const quotas = world.open(store);
    const day = quotas.define({ id: 'day', limit: 100, period: 'day' });
    const minute = quotas.define({ id: 'minute', limit: 10, period: 'minute' });
    const parts = (cost: number) => [
      { quota: day, subject: 't', cost },
      { quota: minute, subject: 't', cost },
    ];
    const first = await world.settle(quotas.takeAll(parts(8)));
    expect(first).toMatchObject({ allowed: true, refused: [], retryAfterMs: 0 });
    expect(first.decisions.map((one) => [one.allowed, one.used, one.charged])).toEqual([
      [true, 8, 8],
      [true, 8, 8],
    ]);
    const second = await world.settle(quotas.takeAll(parts(8)));
    expect(second).toMatchObject({ allowed: false, refused: [1] });
    expect(second.decisions.map((one) => [one.allowed, one.charged])).toEqual([
      [false, 0],
      [false, 0],
    ]);
    expect(second.retryAfterMs).toBeLessThanOrEqual(60_000);
    expect((await world.settle(day.peek('t'))).used).toBe(8);
    expect((await world.settle(minute.peek('t'))).used).toBe(8);
  });

  it('takes one round trip on a store with atomic groups, and the refusal is then known here', async () => {
    const world = new World();
    const store = new RemoteStore(world, makeInner(world)());
    const quotas = world.open(store);
    const quota = quotas.define({ id: 'q', limit: 1, period: 'day' });
    await world.settle(quotas.takeAll([{ quota, subject: 's' }]));
    await world.settle(quotas.takeAll([{ quota, subject: 's' }]));
    const calls = store.calls;
    expect(calls).toBe(2);
    expect(await world.settle(quotas.takeAll([{ quota, subject: 's' }]))).toMatchObject({
      allowed: false,
      refused: [0],
    });
    expect(store.calls).toBe(calls);
  });

  it('that is refused does not make its absent counters look vanished later', async () => {
    const world = new World();
    const quotas = world.open(new RemoteStore(world, makeInner(world)()));
    const none = quotas.define({ id: 'none', limit: 1, period: 'day' });
    const some = quotas.define({ id: 'some', limit: 10, period: 'day' });
    await world.settle(none.take('s'));
    const parts = [
      { quota: none, subject: 's' },
      { quota: some, subject: 's' },
    ];
    expect(await world.settle(quotas.takeAll(parts))).toMatchObject({ allowed: false, refused: [0] });
    expect(await world.settle(some.take('s'))).toMatchObject({ allowed: true, used: 1 });
    expect(world.events).toEqual([]);
  });

  it('two parts on one counter are charged together', async () => {
    const world = new World();
    const quotas = world.open(makeInner(world)());
    const quota = quotas.define({ id: 'q', limit: 10, period: 'day' });
    const group = (a: number, b: number): Promise<GroupDecision> =>
      world.settle(
        quotas.takeAll([
          { quota, subject: 's', cost: a },
          { quota, subject: 's', cost: b },
        ]),
      );
    expect(await group(6, 5)).toMatchObject({ allowed: false, refused: [0, 1] });
    expect(await group(6, 4)).toMatchObject({ allowed: true });
    expect((await world.settle(quota.peek('s'))).used).toBe(10);
  });

  it('a quota in shadow never refuses the group, and still counts', async () => {
    const world = new World();
    const quotas = world.open(makeInner(world)());
    const shadow = quotas.define({ id: 'shadow', limit: 1, period: 'day', shadow: true });
    const real = quotas.define({ id: 'real', limit: 10, period: 'day' });
    const group = await world.settle(
      quotas.takeAll([
        { quota: shadow, subject: 's', cost: 3 },
        { quota: real, subject: 's', cost: 3 },
      ]),
    );
    expect(group).toMatchObject({ allowed: true });
    expect(group.decisions.map((one) => one.wouldRefuse)).toEqual([true, false]);
    expect((await world.settle(shadow.peek('s'))).used).toBe(3);
  });

  it('overlapping groups of many engines never pass a limit, and totals are what was charged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 }), fc.nat({ max: 60 })),
        fc.array(
          fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 9 })),
          { maxLength: 40 },
        ),
        async (seed, limits, groups) => {
          const world = new World(seed);
          const inner = makeInner(world);
          const engines = [1, 2, 3].map(() =>
            world.open(new RemoteStore(world, inner(), () => 1 + world.random() * 10)),
          );
          const quotas = engines.map((engine) =>
            limits.map((limit, index) =>
              engine.define({ id: `q${index}`, limit, period: 'day', budgetMs: 60_000, denyRecheckMs: 0 }),
            ),
          );
          const charged = [0, 0, 0];
          const runs = groups.map(async ([mask, other, cost], index) => {
            const own = nth(quotas, index);
            const bits = (mask | other) & 7;
            const chosen = [0, 1, 2].filter((bit) => (bits & (1 << bit)) !== 0);
            const group = await nth(engines, index).takeAll(
              chosen.map((bit) => ({ quota: nth(own, bit), subject: 's', cost })),
            );
            if (group.allowed) for (const bit of chosen) charged[bit] = (charged[bit] ?? 0) + cost;
          });
          await world.settle(Promise.all(runs));
          const used = await world.settle(
            Promise.all(nth(quotas, 0).map(async (quota) => (await quota.peek('s')).used)),
          );
          expect(used).toEqual(charged);
          limits.forEach((limit, index) => expect(charged[index]).toBeLessThanOrEqual(limit));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe.each(stores)('an idempotency key, charged %s', (_, makeInner) => {
  it('charges once, whichever process repeats, also in the next period', async () => {
    const world = new World();
    const inner = makeInner(world);
    const [one, other] = [world.open(new RemoteStore(world, inner())), world.open(new RemoteStore(world, inner()))];
    const quotas = [one, other].map((engine) => engine.define({ id: 'q', limit: 10, period: 'minute' }));
    const take = (index: number): Promise<Decision> =>
      world.settle(nth(quotas, index).take('s', 4, { idempotencyKey: 'order 7' }));
    expect(await take(0)).toMatchObject({ allowed: true, replayed: false, used: 4 });
    expect(await take(1)).toMatchObject({ allowed: true, replayed: true, used: 4 });
    await world.advance(60_000);
    expect(await take(0)).toMatchObject({ allowed: true, replayed: true, used: 0 });
    expect(one.metrics().replays + other.metrics().replays).toBe(2);
  });

  it('does not remember a refusal', async () => {
    const world = new World();
    const quota = world.open(makeInner(world)()).define({ id: 'q', limit: 5, period: 'day' });
    const first = await world.settle(quota.take('s', 5));
    expect((await world.settle(quota.take('s', 2, { idempotencyKey: 'k' }))).allowed).toBe(false);
    await world.settle(quota.refund(first));
    expect(await world.settle(quota.take('s', 2, { idempotencyKey: 'k' }))).toMatchObject({
      allowed: true,
      replayed: false,
      used: 2,
    });
  });

  it('cannot be used for another take', async () => {
    const world = new World();
    const quota = world.open(makeInner(world)()).define({ id: 'q', limit: 10, period: 'day' });
    await world.settle(quota.take('s', 2, { idempotencyKey: 'k' }));
    await expect(world.settle(quota.take('s', 3, { idempotencyKey: 'k' }))).rejects.toMatchObject({
      code: 'idempotency-mismatch',
    });
    await expect(quota.take('s', 1, { idempotencyKey: '' })).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  it('refunds once, from the take and its repetition together', async () => {
    const world = new World();
    const quota = world.open(makeInner(world)()).define({ id: 'q', limit: 10, period: 'day' });
    const first = await world.settle(quota.take('s', 4, { idempotencyKey: 'k' }));
    const again = await world.settle(quota.take('s', 4, { idempotencyKey: 'k' }));
    expect((await world.settle(quota.refund(first))).refunded).toBe(4);
    expect((await world.settle(quota.refund(again))).refunded).toBe(0);
  });

  it('never charges twice, whatever is lost on the way and however often it is repeated', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.constantFrom('fine', 'silent', 'refusing', 'reply-lost' as const), { minLength: 1, maxLength: 8 }),
        async (seed, script) => {
          const world = new World(seed);
          const inner = makeInner(world);
          const stores = [1, 2].map(() => new RemoteStore(world, inner(), () => 1 + world.random() * 10));
          const quotas = stores.map((store) =>
            world.open(store).define({ id: 'q', limit: 100, period: 'day', budgetMs: 100 }),
          );
          for (const [index, weather] of script.entries()) {
            const store = nth(stores, index);
            store.weather = weather;
            await world.settle(nth(quotas, index).take('s', 3, { idempotencyKey: 'k' }));
            await store.release();
            await world.advance(1_000);
          }
          const last = await world.settle(nth(quotas, 0).take('s', 3, { idempotencyKey: 'k' }));
          const { used } = await world.settle(nth(quotas, 0).peek('s'));
          expect(used).toBeLessThanOrEqual(3);
          // Stepwise an attempt that was cut off may leave it unknown whether it was charged: then the outage policy (closed) decides.
          expect(last.allowed ? used : 3).toBe(3);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('groups', () => {
  it('have 1 to 100 parts, of one engine', async () => {
    const world = new World();
    const [one, other] = [world.open(world.memory()), world.open(world.memory())];
    const a = one.define({ id: 'a', limit: 1, period: 'day' });
    const b = other.define({ id: 'b', limit: 1, period: 'day' });
    const rejected = { code: 'invalid-argument' };
    await expect(one.takeAll([])).rejects.toMatchObject(rejected);
    await expect(
      one.takeAll([
        { quota: a, subject: 's' },
        { quota: b, subject: 's' },
      ]),
    ).rejects.toMatchObject(rejected);
    const many = Array.from({ length: 101 }, (_, index) => ({ quota: a, subject: `s${index}` }));
    await expect(one.takeAll(many)).rejects.toMatchObject(rejected);
    await expect(one.takeAll([{ quota: a, subject: 's', cost: 0 }])).rejects.toMatchObject({ code: 'invalid-cost' });
  });
});
