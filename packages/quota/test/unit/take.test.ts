import { describe, expect, it } from 'vitest';
import type { Quotas } from '../../src/index.ts';
import { MemoryBackend, OpaqueStore } from '../../../quota-conformance/src/index.ts';
import { flush, NOON, RemoteStore, type UntypedQuota, type UntypedQuotas, World } from '../world.ts';

const DAY_END = Date.UTC(2026, 11, 1);

/** Both ways to decide: at once in this process, and over a network. */
const ways = [
  ['in this process', (world: World): Quotas => world.open(world.memory())],
  ['over a network', (world: World): Quotas => world.open(new RemoteStore(world, world.memory()))],
] as const;

describe.each(ways)('take %s', (_, open) => {
  it('says what is used and left, until when, and when to try again', async () => {
    const world = new World();
    const quota = open(world).define({ id: 'api', limit: 10, period: 'day' });
    expect(await world.settle(quota.take('s', 7))).toMatchObject({
      allowed: true,
      used: 7,
      remaining: 3,
      limit: 10,
      resetAt: DAY_END,
      retryAfterMs: 0,
      source: 'store',
      quota: 'api',
      subject: 's',
      cost: 7,
      charged: 7,
      period: '2026-11-30',
    });
    const refused = await world.settle(quota.take('s', 4));
    expect(refused).toMatchObject({ allowed: false, used: 7, remaining: 3, charged: 0 });
    expect(refused.retryAfterMs).toBe(DAY_END - refused.takenAt);
    expect(await world.settle(quota.take('s', 3))).toMatchObject({ allowed: true, used: 10, remaining: 0 });
  });

  it('begins anew with the next period, and two quotas or subjects never share', async () => {
    const world = new World();
    const quotas = open(world);
    const a = quotas.define({ id: 'login', limit: 1, period: 'minute' });
    const b = quotas.define({ id: 'login:ip', limit: 1, period: 'minute' });
    expect((await world.settle(a.take('ip:1'))).allowed).toBe(true);
    expect((await world.settle(a.take('ip:1'))).allowed).toBe(false);
    expect((await world.settle(b.take('1'))).allowed).toBe(true);
    await world.advance(60_000);
    expect(await world.settle(a.take('ip:1'))).toMatchObject({ allowed: true, used: 1, period: '2026-11-30T12:01' });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', null])(
    'refuses a cost of %s as an error',
    async (cost) => {
      const quota: UntypedQuota = open(new World()).define({ id: 'q', limit: 10, period: 'day' });
      await expect(quota.take('s', cost)).rejects.toMatchObject({ name: 'QuotaError', code: 'invalid-cost' });
      expect(() => quota.takeNow('s', cost)).toThrow(expect.objectContaining({ code: 'invalid-cost' }));
    },
  );

  it.each(['', undefined, null, 7, {}])('refuses the subject %j as an error', async (subject) => {
    const quota: UntypedQuota = open(new World()).define({ id: 'q', limit: 10, period: 'day' });
    await expect(quota.take(subject)).rejects.toMatchObject({ code: 'invalid-subject' });
  });

  it('a cost above the limit is refused by the rule, without the store', async () => {
    const world = new World();
    const quota = open(world).define({ id: 'q', limit: 10, period: 'day' });
    expect(await world.settle(quota.take('s', 11))).toMatchObject({ allowed: false, source: 'rule', remaining: 10 });
  });

  it('the limit may be a function of the subject, also one that answers later; 0 refuses everything', async () => {
    const world = new World();
    const plans: Record<string, number> = { free: 1, paid: 3, none: 0 };
    const quotas = open(world);
    const now = quotas.define({ id: 'now', limit: (subject) => plans[subject] ?? 0, period: 'day' });
    const later = quotas.define({
      id: 'later',
      limit: (subject) => Promise.resolve(plans[subject] ?? 0),
      period: 'day',
    });
    for (const quota of [now, later]) {
      const admitted = async (subject: string): Promise<number> => {
        const all = await world.settle(Promise.all(Array.from({ length: 5 }, () => quota.take(subject))));
        return all.filter((one) => one.allowed).length;
      };
      expect([await admitted('free'), await admitted('paid'), await admitted('none')]).toEqual([1, 3, 0]);
    }
  });

  it.each([-1, 0.5, Number.NaN, '5'])('a plan that gives %s is an error, not a decision', async (limit) => {
    const quotas: UntypedQuotas = open(new World());
    const now = quotas.define({ id: 'now', limit: () => limit, period: 'day' });
    const later = quotas.define({ id: 'later', limit: () => Promise.resolve(limit), period: 'day' });
    await expect(now.take('s')).rejects.toMatchObject({ code: 'invalid-cost' });
    await expect(later.take('s')).rejects.toMatchObject({ code: 'invalid-cost' });
  });

  it('in shadow it counts and reports, and never refuses', async () => {
    const world = new World();
    const quotas = open(world);
    const quota = quotas.define({ id: 'q', limit: 5, period: 'day', shadow: true });
    const decisions = [];
    for (let turn = 0; turn < 4; turn++) decisions.push(await world.settle(quota.take('s', 2)));
    expect(decisions.map((one) => [one.allowed, one.wouldRefuse, one.used, one.remaining])).toEqual([
      [true, false, 2, 3],
      [true, false, 4, 1],
      [true, true, 6, 0],
      [true, true, 8, 0],
    ]);
    expect(quotas.metrics()).toMatchObject({ takes: 4, allowed: 4, refused: 0, shadowRefused: 2 });
  });

  it('charges addresses by prefix', async () => {
    const world = new World();
    const quota = open(world).define({ id: 'q', limit: 2, period: 'day', subjects: 'address' });
    const take = async (address: string): Promise<readonly [boolean, string]> => {
      const { allowed, subject } = await world.settle(quota.take(address));
      return [allowed, subject];
    };
    expect(await take('2001:db8::1')).toEqual([true, '2001:db8::/64']);
    expect(await take('2001:db8::ffff')).toEqual([true, '2001:db8::/64']);
    expect(await take('2001:db8:0:0:1::')).toEqual([false, '2001:db8::/64']);
    expect(await take('::ffff:192.0.2.1')).toEqual([true, '192.0.2.1']);
    expect(await take('192.0.2.1')).toEqual([true, '192.0.2.1']);
    await expect(quota.take('nowhere')).rejects.toMatchObject({ code: 'invalid-subject' });
  });

  it('after close it is an error', async () => {
    const quotas = open(new World());
    const quota = quotas.define({ id: 'q', limit: 1, period: 'day' });
    await quotas.close();
    await expect(quota.take('s')).rejects.toMatchObject({ code: 'closed' });
    await expect(quota.peek('s')).rejects.toMatchObject({ code: 'closed' });
    await quotas.close();
  });

  it('peeking charges nothing and creates nothing', async () => {
    const world = new World();
    const quota = open(world).define({ id: 'q', limit: 10, period: 'day' });
    expect(await world.settle(quota.peek('s'))).toEqual({
      quota: 'q',
      subject: 's',
      period: '2026-11-30',
      used: 0,
      remaining: 10,
      limit: 10,
      resetAt: DAY_END,
    });
    await world.settle(quota.take('s', 4));
    expect(await world.settle(quota.peek('s'))).toMatchObject({ used: 4, remaining: 6 });
    expect(await world.settle(quota.peek('s'))).toMatchObject({ used: 4, remaining: 6 });
  });

  it('charging what was done already counts above the limit', async () => {
    const world = new World();
    const quota = open(world).define({ id: 'q', limit: 10, period: 'day' });
    expect(await world.settle(quota.charge('s', 25))).toMatchObject({ used: 25, remaining: 0, limit: 10 });
    expect((await world.settle(quota.take('s'))).allowed).toBe(false);
    await expect(quota.charge('s', 0)).rejects.toMatchObject({ code: 'invalid-cost' });
  });

  it('resets exactly one subject, wildcards taken literally', async () => {
    const world = new World();
    const quota = open(world).define({ id: 'q', limit: 3, period: 'day' });
    for (const subject of ['a', 'ab', '*']) await world.settle(quota.take(subject, 3));
    expect((await world.settle(quota.take('a'))).allowed).toBe(false);
    await world.settle(quota.reset('*'));
    await world.settle(quota.reset('a'));
    const used = async (subject: string): Promise<number> => (await world.settle(quota.peek(subject))).used;
    expect([await used('a'), await used('ab'), await used('*')]).toEqual([0, 3, 0]);
    expect(await world.settle(quota.take('a'))).toMatchObject({ allowed: true, used: 1 });
  });
});

describe('refusals', () => {
  it('are repeated without the store, and looked up again every second', async () => {
    const world = new World();
    const memory = world.memory();
    const store = new RemoteStore(world, memory);
    const quotas = world.open(store);
    const quota = quotas.define({ id: 'q', limit: 5, period: 'day' });
    await world.settle(quota.take('s', 5));
    await world.settle(quota.take('s'));
    const calls = store.calls;
    for (let turn = 0; turn < 50; turn++) {
      expect(await world.settle(quota.take('s'))).toMatchObject({ allowed: false, source: 'deny-cache', used: 5 });
    }
    expect(store.calls).toBe(calls);
    expect(quotas.metrics().fromDenyCache).toBe(50);
    // Another process refunds; within a second it is seen here.
    const other = world.open(new RemoteStore(world, memory)).define({ id: 'q', limit: 5, period: 'day' });
    await world.settle(other.reset('s'));
    await world.advance(1_000);
    expect(await world.settle(quota.take('s'))).toMatchObject({ allowed: true, source: 'store', used: 1 });
  });

  it('of a large cost do not refuse a smaller one that fits', async () => {
    const world = new World();
    const quota = world.open(new RemoteStore(world, world.memory())).define({ id: 'q', limit: 10, period: 'day' });
    await world.settle(quota.take('s', 6));
    expect((await world.settle(quota.take('s', 5))).allowed).toBe(false);
    expect((await world.settle(quota.take('s', 4))).allowed).toBe(true);
  });

  it('know what was taken since, so that what became too large is refused here as well', async () => {
    const world = new World();
    const quota = world.open(new RemoteStore(world, world.memory())).define({ id: 'q', limit: 10, period: 'day' });
    await world.settle(quota.take('s', 6));
    await world.settle(quota.take('s', 5));
    await world.settle(quota.take('s', 3));
    expect(await world.settle(quota.take('s', 2))).toMatchObject({ allowed: false, source: 'deny-cache', used: 9 });
  });

  it('may be kept until the period ends, and end with it', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    const quota = world
      .open(store)
      .define({ id: 'q', limit: 1, period: 'minute', denyRecheckMs: Number.POSITIVE_INFINITY });
    await world.settle(Promise.all([quota.take('s'), quota.take('s')]));
    const calls = store.calls;
    await world.advance(59_000);
    expect((await world.settle(quota.take('s'))).source).toBe('deny-cache');
    expect(store.calls).toBe(calls);
    await world.advance(1_000);
    expect(await world.settle(quota.take('s'))).toMatchObject({ allowed: true, source: 'store' });
  });
});

describe('blocks', () => {
  it('are drawn once and spent locally', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    const quotas = world.open(store);
    const quota = quotas.define({ id: 'q', limit: 10_000, period: 'day', lease: 100 });
    const sources = [];
    for (let turn = 0; turn < 100; turn++) sources.push((await world.settle(quota.take('s'))).source);
    expect(sources).toEqual(['store', ...Array<string>(99).fill('lease')]);
    expect(store.draws).toHaveLength(1);
    expect(quotas.metrics().fromLease).toBe(99);
  });

  it('shrink towards the limit, so that little is left unspent elsewhere', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    const quota = world.open(store).define({ id: 'q', limit: 1_000, period: 'day', lease: 1_000 });
    const decisions = [];
    for (let turn = 0; turn < 1_050; turn++) decisions.push(await world.settle(quota.take('s')));
    expect(decisions.filter((one) => one.allowed)).toHaveLength(1_000);
    const sizes = store.draws.map(([draw]) => draw?.amount ?? 0);
    expect(sizes[0]).toBe(125);
    expect(Math.max(...sizes.slice(-10))).toBe(1);
  });

  it('that nobody uses go back after some seconds, and at close', async () => {
    const world = new World();
    const memory = world.memory();
    const store = new RemoteStore(world, memory);
    const quotas = world.open(store);
    const quota = quotas.define({ id: 'q', limit: 1_000, period: 'day', lease: 100 });
    const key = 'wq1:q:{s}:2026-11-30';
    await world.settle(quota.take('s'));
    expect(await memory.read([key])).toEqual([100]);
    await world.advance(7_000);
    expect(await memory.read([key])).toEqual([1]);
    await world.settle(quota.take('s'));
    expect(await memory.read([key])).toEqual([101]);
    await world.settle(quotas.close());
    expect(await memory.read([key])).toEqual([2]);
  });
});

describe('the clock of the store', () => {
  it('says which period it is, when asked to, and the host clock otherwise', async () => {
    const world = new World();
    const memory = world.memory();
    // This host is 30 s late: it is 12:00:00 here and 12:00:30 there.
    const late = world.open(new RemoteStore(world, memory), { clock: () => world.nowMs - 30_000 });
    const local = late.define({ id: 'local', limit: 1, period: 'minute' });
    const store = late.define({ id: 'store', limit: 1, period: 'minute', clock: 'store' });
    expect((await world.settle(local.take('s'))).period).toBe('2026-11-30T11:59');
    expect((await world.settle(store.take('s'))).period).toBe('2026-11-30T12:00');
  });

  it('is not asked per take, but again after 30 s', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    let asked = 0;
    const time = store.time.bind(store);
    store.time = () => {
      asked += 1;
      return time();
    };
    const quota = world.open(store).define({ id: 'q', limit: 1_000, period: 'minute', clock: 'store' });
    for (let turn = 0; turn < 20; turn++) await world.settle(quota.take('s'));
    expect(asked).toBe(1);
    await world.advance(31_000);
    await world.settle(quota.take('s'));
    expect(asked).toBe(2);
  });

  it('servers whose clocks differ by 30 s never lose a counter at the turn of a period', async () => {
    const world = new World();
    const memory = world.memory();
    const clocks = [-30_000, 0, 30_000].map((skew) => () => world.nowMs + skew);
    const quotas = clocks.map((clock) =>
      world
        .open(new RemoteStore(world, memory), { clock })
        .define({ id: 'q', limit: 50, period: 'minute', denyRecheckMs: 0 }),
    );
    const admitted = new Map<string, number>();
    for (let second = 0; second < 180; second++) {
      for (const quota of quotas) {
        const decision = await world.settle(quota.take('s'));
        if (decision.allowed) admitted.set(decision.period, (admitted.get(decision.period) ?? 0) + 1);
      }
      await world.advance(1_000 - 3);
    }
    expect(admitted.size).toBeGreaterThanOrEqual(3);
    for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(50);
  });
});

describe('an approximate store', () => {
  it('is refused unless accepted, and then every decision says so', async () => {
    const world = new World();
    const backend = new MemoryBackend(world.clock);
    const plain = {
      get: backend.get.bind(backend),
      put: backend.put.bind(backend),
      delete: backend.delete.bind(backend),
    };
    const quotas = world.open(new OpaqueStore(plain));
    expect(() => quotas.define({ id: 'q', limit: 5, period: 'day' })).toThrow(
      expect.objectContaining({ code: 'store-refused' }),
    );
    const quota = quotas.define({ id: 'q', limit: 5, period: 'day', accuracy: 'approximate' });
    expect((await world.settle(quota.take('s'))).source).toBe('approximate');
  });
});

describe('what the engine remembers', () => {
  it('is bounded, and forgetting it changes no decision', async () => {
    const world = new World();
    const memory = world.memory();
    const quota = world
      .open(new RemoteStore(world, memory), { maxTracked: 10 })
      .define({ id: 'q', limit: 2, period: 'day' });
    for (let round = 0; round < 3; round++) {
      for (let subject = 0; subject < 100; subject++) {
        const { allowed } = await world.settle(quota.take(`s${subject}`));
        expect(allowed).toBe(round < 2);
      }
    }
  });

  it('an explanation says why the next take would be admitted or refused', async () => {
    const world = new World();
    const quota = world
      .open(new RemoteStore(world, world.memory()))
      .define({ id: 'q', limit: 2, period: 'day', zone: 'Asia/Kathmandu' });
    await world.settle(Promise.all([quota.take('s'), quota.take('s'), quota.take('s')]));
    const told = await world.settle(quota.explain('s'));
    expect(told).toMatchObject({
      key: 'wq1:q:{s}:2026-11-30@+05:45',
      period: {
        id: '2026-11-30@+05:45',
        start: '2026-11-29T18:15:00.000Z',
        end: '2026-11-30T18:15:00.000Z',
        zone: 'Asia/Kathmandu',
      },
      deadline: '2026-11-30T20:39:00.000Z',
      limit: 2,
      used: 2,
      store: { name: 'remote', capability: 'dated-increment', breaker: 'closed' },
    });
    expect(told.because.join(' ')).toMatch(/refusal is fresh.*all 2 are used/);
    await flush();
    expect(world.nowMs).toBeGreaterThanOrEqual(NOON);
  });
});
