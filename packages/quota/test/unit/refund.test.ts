import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision, Quota, Receipt } from '../../src/index.ts';
import { RemoteStore, World, nth } from '../world.ts';

function scene(): { world: World; quota: Quota; other: Quota; memory: ReturnType<World['memory']> } {
  const world = new World();
  const memory = world.memory();
  const define = (): Quota =>
    world.open(new RemoteStore(world, memory)).define({ id: 'q', limit: 10, period: 'minute' });
  return { world, memory, quota: define(), other: define() };
}

/** As a queue or a database would carry it. */
function sent(decision: Decision): Receipt {
  return structuredClone(decision.receipt);
}

describe('a refund', () => {
  it('gives back what was taken, once, in parts or whole, from any process', async () => {
    const { world, quota, other } = scene();
    const take = await world.settle(quota.take('s', 6));
    expect(await world.settle(quota.refund(take, 2))).toEqual({ refunded: 2, used: 4 });
    expect(await world.settle(other.refund(sent(take), 5))).toEqual({ refunded: 4, used: 0 });
    expect(await world.settle(quota.refund(take))).toEqual({ refunded: 0, used: undefined });
  });

  it('of nothing is nothing: a refused take, a take that an outage policy admitted', async () => {
    const { world, quota, memory } = scene();
    await world.settle(quota.take('s', 8));
    const refused = await world.settle(quota.take('s', 3));
    expect(await world.settle(quota.refund(refused))).toEqual({ refunded: 0, used: undefined });
    const store = new RemoteStore(world, memory);
    store.weather = 'refusing';
    const open = world.open(store).define({ id: 'q', limit: 10, period: 'minute', outage: 'open' });
    const admitted = await world.settle(open.take('s', 1));
    store.weather = 'fine';
    expect(await world.settle(open.refund(admitted))).toEqual({ refunded: 0, used: undefined });
  });

  it('after its period is over changes nothing, and brings no counter back to life', async () => {
    const { world, quota, memory } = scene();
    const take = await world.settle(quota.take('s', 6));
    await world.advance(60_000);
    expect(await world.settle(quota.refund(take))).toEqual({ refunded: 0, used: undefined });
    expect(await world.settle(quota.peek('s'))).toMatchObject({ used: 0 });
    await world.advance(120_000);
    expect(memory.size).toBe(0);
  });

  it('after a reset changes nothing: what was taken before is forgiven already', async () => {
    const { world, quota } = scene();
    const before = await world.settle(quota.take('s', 6));
    await world.settle(quota.reset('s'));
    const after = await world.settle(quota.take('s', 5));
    expect((await world.settle(quota.refund(before))).refunded).toBe(0);
    expect((await world.settle(quota.peek('s'))).used).toBe(5);
    expect((await world.settle(quota.refund(after))).refunded).toBe(5);
  });

  it('of more than was taken, of another quota, or of a period that does not exist is an error', async () => {
    const { world, quota, other } = scene();
    const take = await world.settle(quota.take('s', 6));
    await expect(quota.refund(take, 7)).rejects.toMatchObject({ code: 'invalid-cost' });
    await expect(quota.refund(take, 0)).rejects.toMatchObject({ code: 'invalid-cost' });
    await expect(quota.refund({ ...take.receipt, quota: 'other' })).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(other.refund({ ...sent(take), period: '2026-11-30' })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    await expect(other.refund({ ...sent(take), resetAt: take.resetAt + 1 })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('makes room at once in the process that refunds', async () => {
    const { world, quota } = scene();
    const take = await world.settle(quota.take('s', 10));
    expect((await world.settle(quota.take('s'))).allowed).toBe(false);
    await world.settle(quota.refund(take, 1));
    expect((await world.settle(quota.take('s'))).allowed).toBe(true);
  });

  it('however takes and refunds interleave, the counter is what was taken less what was refunded, and never passes the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 3 })), { maxLength: 30 }),
        async (seed, script) => {
          const world = new World(seed);
          const memory = world.memory();
          const quotas = [1, 2].map(() =>
            world
              .open(new RemoteStore(world, memory, () => 1 + world.random() * 9))
              .define({ id: 'q', limit: 30, period: 'day', budgetMs: 60_000, denyRecheckMs: 0 }),
          );
          let open = 0;
          const runs = script.map(async ([cost, refunds], index) => {
            const take = await nth(quotas, index).take('s', cost);
            open += take.charged;
            expect(open).toBeLessThanOrEqual(30);
            for (let turn = 0; turn < refunds; turn++) {
              const { refunded } = await nth(quotas, index + turn).refund(sent(take), Math.min(cost, 2));
              // The amount is free from some moment during the call on; counting it free only now is the strict side.
              open -= refunded;
            }
          });
          // Refunds free room before this test hears of it, so only the end state is compared for those.
          await world.settle(Promise.allSettled(runs));
          const [total] = await memory.read(['wq1:q:{s}:2026-11-30']);
          expect(total ?? 0).toBe(open);
        },
      ),
      { numRuns: 80 },
    );
  });
});
