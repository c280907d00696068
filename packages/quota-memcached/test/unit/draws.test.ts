import { deadlineAt, type Deadline, type Draw, type Drawn } from '@weir/quota';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CounterDraws } from '../../src/draws.ts';
import { expiryOf, type Expiry } from '../../src/expiry.ts';
import { fitting, share } from '../../src/sharing.ts';
import { ModelServer, type Fate } from '../support/model-server.ts';

const NOW_MS = Date.UTC(2026, 10, 30);
const deadline = deadlineAt(NOW_MS + 3_600_000, NOW_MS);
const expiry = expiryOf(deadline, NOW_MS);
const expiryAt = (at: Deadline): Expiry => expiryOf(at, NOW_MS);
const KEY = 'k';

const drawOf = (amount: number, limit: number, unit = amount, seen?: number): Draw => ({
  key: KEY,
  amount,
  unit,
  limit,
  deadline,
  ...(seen === undefined ? {} : { seen }),
});

const total = (server: ModelServer): number => server.counters.get(KEY)?.total ?? 0;
const grantedIn = (results: readonly (Drawn | undefined)[]): number =>
  results.reduce((sum, result) => sum + (result?.granted ?? 0), 0);

describe('sharing', () => {
  const wish = fc.record({ amount: fc.nat(50), unit: fc.integer({ min: 1, max: 9 }), limit: fc.nat(100) });

  test('a grant is a multiple of its unit, never more than wanted or than the limit leaves, and the most of those', () => {
    fc.assert(
      fc.property(wish, fc.nat(120), (one, held) => {
        const grant = fitting(one, held);
        expect(grant % one.unit).toBe(0);
        expect(grant).toBeGreaterThanOrEqual(0);
        expect(grant).toBeLessThanOrEqual(one.amount);
        expect(grant === 0 || held + grant <= one.limit).toBe(true);
        const more = grant + one.unit;
        expect(more > one.amount || held + more > one.limit).toBe(true);
      }),
    );
  });

  test('sharing is the same as one after the other', () => {
    fc.assert(
      fc.property(fc.array(wish), fc.nat(120), (wishes, held) => {
        let running = held;
        const shared = share(wishes, held);
        for (const [index, one] of wishes.entries()) {
          const grant = fitting(one, running);
          running += grant;
          expect(shared.grants[index]).toBe(grant);
          expect(shared.totals[index]).toBe(running);
        }
        expect(shared.sum).toBe(running - held);
      }),
    );
  });
});

describe.each([
  { protocol: 'meta', conditional: true },
  { protocol: 'classic', conditional: false },
])('several processes on one counter ($protocol)', ({ conditional }) => {
  const amounts = fc.array(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), {
    minLength: 2,
    maxLength: 4,
  });

  /** Runs each process's draws in turn, all processes at once, the network in an order that fast-check picks. */
  async function race(
    scheduler: fc.Scheduler,
    server: ModelServer,
    processes: readonly (readonly number[])[],
    make: (amount: number, seen: number | undefined) => Draw,
    fate?: () => Fate,
  ): Promise<(Drawn | undefined)[]> {
    const travel = (label: string): Promise<void> => scheduler.schedule(Promise.resolve(), label);
    const running = processes.map(async (draws) => {
      const steering = { travel, conditional, ...(fate === undefined ? {} : { fate }) };
      const counter = new CounterDraws(server.dialect(steering), expiryAt);
      const results: (Drawn | undefined)[] = [];
      let seen: number | undefined;
      for (const amount of draws) {
        const drawn = await counter.draw(make(amount, seen)).catch(() => undefined);
        seen = drawn?.total;
        results.push(drawn);
      }
      return results;
    });
    await scheduler.waitFor(Promise.all(running));
    return (await Promise.all(running)).flat();
  }

  test('whole draws: never more than the limit, and the counter holds exactly what was granted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        amounts,
        fc.integer({ min: 1, max: 40 }),
        async (scheduler, processes, limit) => {
          const server = new ModelServer();
          const results = await race(scheduler, server, processes, (amount, seen) =>
            drawOf(amount, limit, amount, seen),
          );
          expect(grantedIn(results)).toBeLessThanOrEqual(limit);
          expect(total(server)).toBe(grantedIn(results));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('draws in single units: together exactly the limit when they want as much', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        amounts,
        fc.integer({ min: 1, max: 40 }),
        async (scheduler, processes, limit) => {
          const server = new ModelServer();
          const wanted = processes.flat().reduce((sum, amount) => sum + amount, 0);
          const results = await race(scheduler, server, processes, (amount, seen) => drawOf(amount, limit, 1, seen));
          expect(grantedIn(results)).toBe(Math.min(limit, wanted));
          expect(total(server)).toBe(grantedIn(results));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('with connections lost before and after the server acted, never more than the limit and never less counted than granted', async () => {
    const fates = fc.infiniteStream(
      fc.constantFrom<Fate>('answered', 'answered', 'answered', 'lost-before', 'lost-after'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        amounts,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('whole', 'units'),
        fates,
        async (scheduler, processes, limit, kind, stream) => {
          const server = new ModelServer();
          const fate = (): Fate => stream.next().value ?? 'answered';
          const make = (amount: number, seen?: number): Draw =>
            drawOf(amount, limit, kind === 'whole' ? amount : 1, seen);
          const results = await race(scheduler, server, processes, make, fate);
          expect(grantedIn(results)).toBeLessThanOrEqual(limit);
          expect(total(server)).toBeGreaterThanOrEqual(grantedIn(results));
          expect([...server.counters.values()].every((counter) => counter.expiry === expiry)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('draws of one process at the same time share rounds, and are served as if they came in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }), async (wanted) => {
        const server = new ModelServer();
        const limit = 30;
        server.plant(KEY, 11, expiry);
        const counter = new CounterDraws(server.dialect({ conditional }), expiryAt);
        const results = await Promise.all(wanted.map((amount) => counter.draw(drawOf(amount, limit, amount, 11))));
        expect(results.map(({ granted }) => granted)).toEqual(
          share(
            wanted.map((amount) => drawOf(amount, limit)),
            11,
          ).grants,
        );
        expect(total(server)).toBe(11 + grantedIn(results));
      }),
    );
  });
});

async function commandsOf(plant: number | undefined, draw: Draw): Promise<number> {
  const server = new ModelServer();
  if (plant !== undefined) server.plant(KEY, plant, expiry);
  await new CounterDraws(server.dialect({ conditional: true }), expiryAt).draw(draw);
  return server.commands;
}

describe('what a draw costs', () => {
  test('one command far from the limit, seen before or not', async () => {
    expect(await commandsOf(undefined, drawOf(1, 1_000))).toBe(1);
    expect(await commandsOf(500, drawOf(1, 1_000, 1, 500))).toBe(1);
  });

  test('two near the limit, one for a refusal', async () => {
    expect(await commandsOf(990, drawOf(1, 1_000, 1, 990))).toBe(2);
    expect(await commandsOf(1_000, drawOf(1, 1_000, 1, 1_000))).toBe(1);
    expect(await commandsOf(999, drawOf(2, 1_000, 2, 999))).toBe(1);
  });

  test('a counter above its limit is looked at three times, since an overshoot may be on its way back, and not lowered', async () => {
    const server = new ModelServer();
    server.plant(KEY, 150, expiry);
    const counter = new CounterDraws(server.dialect({ conditional: true }), expiryAt);
    expect(await counter.draw(drawOf(5, 100, 1, 150))).toEqual({ granted: 0, total: 150 });
    expect(server.commands).toBe(3);
    expect(total(server)).toBe(150);
  });
});

describe('undated and vanished counters', () => {
  test.each([
    ['far from the limit', 57, drawOf(1, 1_000), 58],
    ['near the limit', 57, drawOf(1, 60, 1, 57), 58],
    ['at the limit, where the draw is refused', 60, drawOf(1, 60, 1, 60), 60],
    ['over the limit, with what is taken back', 59, drawOf(5, 60), 59],
  ])('an undated counter %s is dated and keeps its count', async (_, held, draw, after) => {
    const server = new ModelServer();
    server.plant(KEY, held);
    await new CounterDraws(server.dialect({ conditional: true }), expiryAt).draw(draw);
    expect(server.counters.get(KEY)).toMatchObject({ total: after, expiry });
  });

  test.each([1, 50, 999])('a counter that was seen at %i and is gone is counted anew and reported', async (seen) => {
    const server = new ModelServer();
    const counter = new CounterDraws(server.dialect({ conditional: true }), expiryAt);
    expect(await counter.draw(drawOf(1, 1_000, 1, seen))).toEqual({ granted: 1, total: 1, vanished: true });
  });

  test('a counter that vanishes after an overshoot and is begun anew by others is not lowered by it', async () => {
    const server = new ModelServer();
    server.plant(KEY, 100, expiry);
    let commands = 0;
    const travel = (): Promise<void> => {
      commands += 1;
      // After the overshooting raise was answered, before the take-back arrives.
      if (commands === 2) server.plant(KEY, 7, expiry);
      return Promise.resolve();
    };
    const counter = new CounterDraws(server.dialect({ conditional: true, travel }), expiryAt);
    expect(await counter.draw(drawOf(50, 100))).toMatchObject({ granted: 50 });
    expect(total(server)).toBe(57);
  });

  test('a deadline that has passed is refused before anything is written', async () => {
    const server = new ModelServer();
    const counter = new CounterDraws(server.dialect({ conditional: true }), (at) => expiryOf(at, deadline));
    await expect(counter.draw(drawOf(1, 10))).rejects.toMatchObject({ code: 'invalid-deadline' });
    expect(server.commands).toBe(0);
  });
});
