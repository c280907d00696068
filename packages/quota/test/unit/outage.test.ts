import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision, OutagePolicy, Quota, QuotaDefinition, Quotas, Store } from '../../src/index.ts';
import { NOON, RemoteStore, World, nth } from '../world.ts';

const KEY = 'wq1:q:{s}:2026-11-30';

interface Scene {
  readonly world: World;
  readonly store: RemoteStore;
  readonly quotas: Quotas;
  readonly quota: Quota;
  readonly total: () => Promise<number>;
}

function scene(changes: Partial<QuotaDefinition> = {}): Scene {
  const world = new World();
  const memory = world.memory();
  const store = new RemoteStore(world, memory);
  const quotas = world.open(store);
  const quota = quotas.define({ id: 'q', limit: 100, period: 'day', budgetMs: 200, denyRecheckMs: 0, ...changes });
  return { world, store, quotas, quota, total: async () => Number((await memory.read([KEY]))[0] ?? 0) };
}

async function takes({ world, quota }: Scene, count: number, cost = 1): Promise<Decision[]> {
  return world.settle(Promise.all(Array.from({ length: count }, () => quota.take('s', cost))));
}

const allowedOf = (decisions: readonly Decision[]): number => decisions.filter((one) => one.allowed).length;

describe('a store that does not answer', () => {
  it.each([
    ['closed', false],
    ['open', true],
    ['last-known', true],
  ] as const)(
    'with policy %s a take is decided within its budget: allowed %s, marked and counted',
    async (outage, allowed) => {
      const s = scene({ outage });
      await takes(s, 1);
      s.store.weather = 'silent';
      const startMs = s.world.nowMs;
      const [decision] = await takes(s, 1);
      expect(decision).toMatchObject({ allowed, source: `outage-${outage}`, charged: 0 });
      expect(s.world.nowMs - startMs).toBeLessThanOrEqual(201);
      const metrics = s.quotas.metrics();
      expect(metrics.outageClosed + metrics.outageOpen + metrics.outageLastKnown).toBe(1);
      expect(metrics.storeTimeouts).toBe(1);
    },
  );

  it('a take that waits behind a silent one is decided with it, not one budget later', async () => {
    const s = scene();
    s.store.weather = 'silent';
    const first = s.quota.take('s');
    await s.world.advance(150);
    const second = s.quota.take('s');
    await s.world.advance(51);
    expect((await first).source).toBe('outage-closed');
    expect((await second).source).toBe('outage-closed');
  });

  it('what a late reply granted to refused takes goes back', async () => {
    const s = scene();
    s.store.weather = 'silent';
    expect(allowedOf(await takes(s, 10))).toBe(0);
    await s.store.release();
    await s.world.advance(50);
    expect(await s.total()).toBe(0);
    expect(s.quotas.metrics().lateReturned).toBe(10);
    expect(allowedOf(await takes(s, 100))).toBe(100);
  });

  it('what a late reply granted to admitted takes stays, and is not charged twice', async () => {
    const s = scene({ outage: 'open' });
    s.store.weather = 'silent';
    expect(allowedOf(await takes(s, 10))).toBe(10);
    await s.store.release();
    await s.world.advance(50);
    await takes(s, 1);
    expect(await s.total()).toBe(11);
  });

  it('what a late reply refused to admitted takes is charged when the store is back, as are takes it never saw', async () => {
    const s = scene({ outage: 'open' });
    await takes(s, 95);
    s.store.weather = 'silent';
    expect(allowedOf(await takes(s, 1, 10))).toBe(1);
    await s.store.release();
    await s.world.advance(50);
    await takes(s, 1);
    expect(await s.total()).toBe(105);
  });

  it('a lost reply gives nothing back, because the store may have charged it', async () => {
    const s = scene();
    s.store.weather = 'reply-lost';
    expect(allowedOf(await takes(s, 10))).toBe(0);
    s.store.weather = 'fine';
    expect(await s.total()).toBe(10);
    expect(allowedOf(await takes(s, 100))).toBe(90);
  });
});

describe('closing', () => {
  it('decides what is under way at once, so that nobody waits for ever', async () => {
    const s = scene({ outage: 'open' });
    s.store.weather = 'silent';
    const takes = [s.quota.take('s'), s.quota.take('t')];
    await s.world.advance(1);
    takes.push(s.quota.take('s'));
    await s.quotas.close();
    expect((await Promise.all(takes)).map((one) => one.source)).toEqual(Array(3).fill('outage-open'));
    expect(s.world.timersPending).toBe(0);
  });
});

describe('the breaker', () => {
  it('keeps takes away from a failing store, tells so once, and notices when it is back', async () => {
    const s = scene({ outage: 'open' });
    s.store.weather = 'refusing';
    for (let turn = 0; turn < 20; turn++) await takes(s, 1);
    expect(s.store.draws).toHaveLength(5);
    expect(s.world.events.map((event) => event.type)).toEqual(['store_down']);
    const startMs = s.world.nowMs;
    expect((await takes(s, 1))[0]).toMatchObject({ allowed: true, source: 'outage-open' });
    expect(s.world.nowMs - startMs).toBeLessThanOrEqual(1);
    s.store.weather = 'fine';
    await s.world.advance(1_000);
    expect((await takes(s, 1))[0]).toMatchObject({ allowed: true, source: 'store' });
    expect(s.world.events.map((event) => event.type)).toEqual(['store_down', 'store_up']);
  });

  it('opens for a store that answers every time, but later than the budget', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory(), () => 300);
    const quota = world.open(store).define({ id: 'q', limit: 100, period: 'day', budgetMs: 200 });
    for (let turn = 0; turn < 8; turn++) await world.settle(quota.take('s'));
    expect(world.events.map((event) => event.type)).toEqual(['store_down']);
  });

  it('a refusal during an outage says to retry when the store is asked again, not at the end of the period', async () => {
    const s = scene();
    s.store.weather = 'refusing';
    for (let turn = 0; turn < 6; turn++) await takes(s, 1);
    const [decision] = await takes(s, 1);
    expect(decision?.retryAfterMs).toBeGreaterThan(0);
    expect(decision?.retryAfterMs).toBeLessThanOrEqual(500);
  });

  it('hears of groups that time out, too', async () => {
    const s = scene();
    s.store.weather = 'silent';
    const group = (): Promise<unknown> => s.world.settle(s.quotas.takeAll([{ quota: s.quota, subject: 's' }]));
    for (let turn = 0; turn < 5; turn++) await group();
    expect(s.world.events).toMatchObject([{ type: 'store_down' }]);
    const startMs = s.world.nowMs;
    await group();
    expect(s.world.nowMs - startMs).toBeLessThanOrEqual(1);
  });

  it('of one lane of a cluster does not hold up the others', async () => {
    const world = new World();
    const memory = world.memory();
    const store: Store = new RemoteStore(world, memory);
    store.laneOf = (key) => (key.includes('{down}') ? 'node-2' : 'node-1');
    const take = store.take.bind(store);
    store.take = (draws) =>
      draws.some((draw) => draw.key.includes('{down}')) ? Promise.reject(new Error('gone')) : take(draws);
    const quota = world.open(store).define({ id: 'q', limit: 100, period: 'day' });
    for (let turn = 0; turn < 10; turn++) {
      const [up, down] = await world.settle(Promise.all([quota.take('up'), quota.take('down')]));
      expect([up.source, down.source]).toEqual(['store', 'outage-closed']);
    }
    expect(world.events).toEqual([{ type: 'store_down', lane: 'node-2', error: 'gone' }]);
  });
});

describe('policies without the store', () => {
  it('local-share admits this process its share and no more, also after several outages in a period', async () => {
    const s = scene({ outage: 'local-share', servers: 4 });
    s.store.weather = 'refusing';
    expect(allowedOf(await takes(s, 20))).toBe(20);
    s.store.weather = 'fine';
    await s.world.advance(1_000);
    await takes(s, 1);
    s.store.weather = 'refusing';
    expect(allowedOf(await takes(s, 20))).toBe(5);
  });

  it('local-share goes no further than the last known total allows', async () => {
    const s = scene({ outage: 'local-share', servers: 2 });
    await takes(s, 90);
    s.store.weather = 'refusing';
    expect(allowedOf(await takes(s, 20))).toBe(10);
  });

  it('four servers by local-share together never pass the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 50 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 }),
        async (limit, costs) => {
          const world = new World();
          const stores = Array.from({ length: 4 }, () => new RemoteStore(world, world.memory()));
          const all = stores.map((store) => {
            store.weather = 'refusing';
            return world.open(store).define({ id: 'q', limit, period: 'day', outage: 'local-share', servers: 4 });
          });
          const decisions = await world.settle(
            Promise.all(costs.map((cost, index) => nth(all, index).take('s', cost))),
          );
          const admitted = decisions.filter((one) => one.allowed).reduce((sum, one) => sum + one.cost, 0);
          expect(admitted).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('last-known goes on from the last total and stops at the limit', async () => {
    const s = scene({ outage: 'last-known' });
    await takes(s, 60);
    s.store.weather = 'refusing';
    const decisions = await takes(s, 70);
    expect(allowedOf(decisions)).toBe(40);
    expect(decisions.at(-1)).toMatchObject({ allowed: false, used: 100, remaining: 0, source: 'outage-last-known' });
  });

  it('what was admitted while the breaker was open is charged when the store is back', async () => {
    const s = scene({ outage: 'open' });
    s.store.weather = 'refusing';
    for (let turn = 0; turn < 5; turn++) await takes(s, 1);
    // Known not to have been sent: the breaker is open.
    await takes(s, 30);
    s.store.weather = 'fine';
    await s.world.advance(1_000);
    const [decision] = await takes(s, 1);
    expect(decision).toMatchObject({ source: 'store', used: 31 });
    expect(await s.total()).toBe(31);
    // Once, not with every draw from now on.
    await takes(s, 1);
    expect(await s.total()).toBe(32);
  });

  it('in shadow nothing is refused, whatever the policy', async () => {
    const s = scene({ outage: 'closed', shadow: true });
    s.store.weather = 'refusing';
    expect((await takes(s, 1))[0]).toMatchObject({ allowed: true, wouldRefuse: true, source: 'outage-closed' });
  });

  it('groups follow the policies of their quotas: one that is closed closes the group, and nothing is spent', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    const quotas = world.open(store);
    const open = quotas.define({ id: 'open', limit: 10, period: 'day', outage: 'open', budgetMs: 100 });
    const closed = quotas.define({ id: 'closed', limit: 10, period: 'day', budgetMs: 100 });
    store.weather = 'silent';
    const group = (quota: Quota): Promise<Awaited<ReturnType<Quotas['takeAll']>>> =>
      world.settle(
        quotas.takeAll([
          { quota: open, subject: 's' },
          { quota, subject: 't' },
        ]),
      );
    expect(await group(closed)).toMatchObject({ allowed: false, refused: [1] });
    expect(await group(open)).toMatchObject({ allowed: true, refused: [] });
    await store.release();
    await world.advance(100);
    // The refused group's late charge went back, the admitted one's stayed.
    expect((await world.settle(open.peek('s'))).used).toBe(1);
    expect((await world.settle(open.peek('t'))).used).toBe(1);
    expect((await world.settle(closed.peek('t'))).used).toBe(0);
  });
});

describe('whatever the weather', () => {
  const policies: readonly OutagePolicy[] = ['closed', 'last-known', 'local-share', 'open'];
  it('with policy closed nobody ever admits more than the limit; every decision comes within the budget and is marked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.constantFrom(...policies),
        fc.array(
          fc.tuple(
            fc.constantFrom('fine', 'silent', 'refusing', 'reply-lost', 'release' as const),
            fc.integer({ min: 1, max: 12 }),
            fc.integer({ min: 0, max: 400 }),
          ),
          { minLength: 1, maxLength: 25 },
        ),
        async (seed, outage, script) => {
          const world = new World(seed);
          const memory = world.memory();
          const stores = [1, 2].map(() => new RemoteStore(world, memory, () => 1 + world.random() * 30));
          const quotas = stores.map((store) =>
            world
              .open(store)
              .define({ id: 'q', limit: 40, period: 'day', budgetMs: 100, outage, servers: 2, denyRecheckMs: 0 }),
          );
          const decisions: Decision[] = [];
          const pending: Promise<unknown>[] = [];
          for (const [index, [weather, cost, waitMs]] of script.entries()) {
            const store = nth(stores, index);
            if (weather === 'release') await store.release();
            else store.weather = weather;
            const askedMs = world.nowMs;
            pending.push(
              nth(quotas, index)
                .take('s', cost)
                .then((decision) => {
                  decisions.push(decision);
                  expect(world.nowMs - askedMs).toBeLessThanOrEqual(101);
                }),
            );
            await world.advance(waitMs);
          }
          await world.settle(Promise.all(pending));
          expect(decisions).toHaveLength(script.length);
          const admitted = decisions.filter((one) => one.allowed).reduce((sum, one) => sum + one.cost, 0);
          expect(outage === 'closed' ? admitted : 0).toBeLessThanOrEqual(40);
          const byStore = decisions.filter((one) => one.charged > 0).reduce((sum, one) => sum + one.charged, 0);
          expect(byStore).toBeLessThanOrEqual(40);
          // Whatever was charged is still in the counter: nothing was given back that had been used.
          for (const store of stores) await store.release();
          await world.advance(1_000);
          const [total] = await memory.read([KEY]);
          expect(Number(total ?? 0)).toBeGreaterThanOrEqual(byStore);
          expect(world.nowMs).toBeGreaterThan(NOON);
        },
      ),
      { numRuns: 200 },
    );
  });
});
