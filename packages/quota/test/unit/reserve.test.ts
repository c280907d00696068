import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Quota } from '../../src/index.ts';
import { MAX_HOLDS, formatHolds, parseHolds } from '../../src/holds.ts';
import { RemoteStore, World, nth } from '../world.ts';

const LEASE = 10_000;

interface Scene {
  readonly world: World;
  readonly memory: ReturnType<World['memory']>;
  readonly quota: Quota;
  readonly other: Quota;
  readonly used: () => Promise<number>;
}

function scene(limit = 100): Scene {
  const world = new World();
  const memory = world.memory();
  const define = (): Quota =>
    world
      .open(new RemoteStore(world, memory))
      .define({ id: 'q', limit, period: 'day', reservationMs: LEASE, denyRecheckMs: 0 });
  const quota = define();
  return { world, memory, quota, other: define(), used: async () => (await world.settle(quota.peek('s'))).used };
}

describe('a reservation', () => {
  it('sets its amount aside; settling gives the rest back, or charges more', async () => {
    const { world, quota, used } = scene();
    const reservation = await world.settle(quota.reserve('s', 40));
    expect(reservation).toMatchObject({ allowed: true, amount: 40, subject: 's' });
    expect(await used()).toBe(40);
    expect(await world.settle(quota.settle(reservation, 15))).toEqual({ outcome: 'settled', returned: 25, added: 0 });
    expect(await used()).toBe(15);
    const small = await world.settle(quota.reserve('s', 5));
    expect(await world.settle(quota.settle(small, 12))).toEqual({ outcome: 'settled', returned: 0, added: 7 });
    expect(await used()).toBe(27);
    const cancelled = await world.settle(quota.reserve('s', 50));
    expect(await world.settle(quota.cancel(cancelled))).toEqual({ outcome: 'settled', returned: 50, added: 0 });
    expect(await used()).toBe(27);
  });

  it('can be settled by another process, once', async () => {
    const { world, quota, other, used } = scene();
    const reservation = await world.settle(quota.reserve('s', 40));
    const sent = structuredClone(reservation);
    expect(await world.settle(other.settle(sent, 10))).toMatchObject({ outcome: 'settled', returned: 30 });
    expect(await world.settle(quota.settle(reservation, 0))).toMatchObject({ outcome: 'unknown', returned: 0 });
    expect(await used()).toBe(10);
  });

  it('that does not fit is refused and holds nothing', async () => {
    const { world, quota, memory, used } = scene(50);
    await world.settle(quota.take('s', 20));
    const refused = await world.settle(quota.reserve('s', 40));
    expect(refused.allowed).toBe(false);
    expect(await world.settle(quota.settle(refused, 40))).toMatchObject({ outcome: 'not-charged' });
    expect(await used()).toBe(20);
    expect(memory.size).toBe(1);
  });

  it('whose process died comes free when its lease ends, for whoever would be refused otherwise', async () => {
    const { world, quota, other } = scene(50);
    await world.settle(quota.reserve('s', 40));
    expect((await world.settle(other.take('s', 20))).allowed).toBe(false);
    await world.advance(LEASE - 100);
    expect((await world.settle(other.take('s', 20))).allowed).toBe(false);
    await world.advance(200);
    expect(await world.settle(other.take('s', 20))).toMatchObject({ allowed: true, used: 20 });
  });

  it('settled after its lease ended, and its amount was given away, charges what was used, even above the limit', async () => {
    const { world, quota, other, used } = scene(50);
    const reservation = await world.settle(quota.reserve('s', 40));
    await world.advance(LEASE + 1);
    await world.settle(other.take('s', 45));
    expect(await world.settle(quota.settle(reservation, 30))).toEqual({ outcome: 'late', returned: 0, added: 30 });
    expect(await used()).toBe(75);
  });

  it('settled after its lease ended, but before anybody needed the amount, is settled as usual', async () => {
    const { world, quota, used } = scene(50);
    const reservation = await world.settle(quota.reserve('s', 40));
    await world.advance(LEASE * 2);
    expect(await world.settle(quota.settle(reservation, 30))).toEqual({ outcome: 'settled', returned: 10, added: 0 });
    expect(await used()).toBe(30);
  });

  it('of a period that is over changes nothing', async () => {
    const { world, quota } = scene();
    const reservation = await world.settle(quota.reserve('s', 40));
    await world.advance(86_400_000);
    expect(await world.settle(quota.settle(reservation, 10))).toMatchObject({ outcome: 'period-ended' });
  });

  it('is bounded in number, and one too many holds nothing', async () => {
    const { world, quota, used } = scene(10_000);
    const all = await world.settle(Promise.all(Array.from({ length: MAX_HOLDS }, () => quota.reserve('s', 1))));
    expect(all.every((one) => one.allowed)).toBe(true);
    await expect(world.settle(quota.reserve('s', 1))).rejects.toMatchObject({ code: 'too-many-reservations' });
    expect(await used()).toBe(MAX_HOLDS);
    await world.settle(Promise.all(all.map((one) => quota.settle(one, 0))));
    expect(await used()).toBe(0);
  });

  it('needs a quota that says how long it may last', async () => {
    const world = new World();
    const quota = world.open(world.memory()).define({ id: 'q', limit: 1, period: 'day' });
    await expect(quota.reserve('s', 1)).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  it('leaves nothing behind two periods later', async () => {
    const { world, quota, memory } = scene();
    await world.settle(quota.settle(await world.settle(quota.reserve('s', 5)), 3));
    await world.settle(quota.reserve('s', 5));
    expect(memory.size).toBeGreaterThan(0);
    await world.advance(2 * 86_400_000);
    expect(memory.size).toBe(0);
  });

  it('however reservations of several processes interleave, the counter is what was settled plus what is open', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 25 }), fc.boolean()), {
          maxLength: 30,
        }),
        async (seed, script) => {
          const world = new World(seed);
          const memory = world.memory();
          const quotas = [1, 2, 3].map(() =>
            world.open(new RemoteStore(world, memory, () => 1 + world.random() * 9)).define({
              id: 'q',
              limit: 100,
              period: 'day',
              reservationMs: 3_600_000,
              budgetMs: 60_000,
              denyRecheckMs: 0,
            }),
          );
          let expected = 0;
          const runs = script.map(async ([amount, actual, settles], index) => {
            const quota = nth(quotas, index);
            const reservation = await quota.reserve('s', amount);
            if (!reservation.allowed) return;
            if (settles) await nth(quotas, index + 1).settle(reservation, actual);
            expected += settles ? actual : amount;
          });
          await world.settle(Promise.all(runs));
          const [total] = await memory.read(['wq1:q:{s}:2026-11-30']);
          expect(total ?? 0).toBe(expected);
        },
      ),
      { numRuns: 80 },
    );
  });
});

describe('the list of reservations', () => {
  it('is read back as it was written, and other text is refused', () => {
    const hold = fc.record({ amount: fc.nat(), expiresMs: fc.nat() });
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[\w.-]{1,20}$/), hold), (record) => {
        const holds = new Map(Object.entries(record));
        expect(parseHolds(formatHolds(holds))).toEqual(holds);
      }),
    );
    expect(() => parseHolds('57')).toThrow(expect.objectContaining({ code: 'store-corrupt' }));
  });
});
