import { describe, expect, it } from 'vitest';
import { assessHealth, deadlineAt, type StoreHealth } from '../../src/index.ts';
import { RemoteStore, World } from '../world.ts';

const fine: StoreHealth = { instance: 'a', evictionPolicy: 'noeviction', evicted: 0, undated: 0 };

describe('the health of the store', () => {
  it.each([
    ['nothing', fine, fine, []],
    ['a restart', fine, { ...fine, instance: 'b' }, [{ type: 'store_restarted', instance: 'b', before: 'a' }]],
    [
      'an unsafe policy, at once',
      undefined,
      { ...fine, evictionPolicy: 'allkeys-lru' },
      [{ type: 'eviction_policy_unsafe', policy: 'allkeys-lru' }],
    ],
    [
      'an unsafe policy, once',
      { ...fine, evictionPolicy: 'volatile-lru' },
      { ...fine, evictionPolicy: 'volatile-lru' },
      [],
    ],
    [
      'evictions since the last look',
      { ...fine, evicted: 5 },
      { ...fine, evicted: 12 },
      [{ type: 'entries_evicted', count: 7 }],
    ],
    ['no evictions from before the first look', undefined, { ...fine, evicted: 12 }, []],
    ['undated entries', fine, { ...fine, undated: 3 }, [{ type: 'undated_entries', count: 3 }]],
    ['nothing of a store that cannot tell', undefined, {}, []],
  ] as const)('tells %s', (_, before, now, events) => {
    expect(assessHealth(before, now)).toEqual(events);
  });

  it('is looked at by ready and then every minute, on short timers, until close', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    let looks = 0;
    store.health = () => {
      looks += 1;
      return Promise.resolve({ ...fine, evicted: looks * 10 });
    };
    const quotas = world.open(store, { healthEveryMs: 60_000 });
    await world.settle(quotas.ready());
    expect(looks).toBe(1);
    await world.advance(5 * 60_100);
    expect(looks).toBe(6);
    expect(world.events.filter((event) => event.type === 'entries_evicted')).toHaveLength(5);
    expect(quotas.health).toMatchObject({ evicted: 60 });
    expect(world.longestMs).toBeLessThanOrEqual(60_000);
    await quotas.close();
    await world.advance(600_000);
    expect(looks).toBe(6);
  });

  it('that cannot be told is an event, and no end of looking', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    const quotas = world.open(store, { healthEveryMs: 1_000 });
    await world.settle(quotas.ready());
    store.weather = 'refusing';
    await world.advance(1_500);
    expect(world.events).toEqual([{ type: 'health_unknown', error: 'connection refused' }]);
    store.weather = 'fine';
    await world.advance(1_500);
    expect(world.events).toHaveLength(1);
    await quotas.close();
  });

  it('includes clocks that differ by more than a counter can bear', async () => {
    const world = new World();
    const store = new RemoteStore(world, world.memory());
    const quotas = world.open(store, { clock: () => world.nowMs - 45_000 });
    await world.settle(quotas.ready());
    expect(world.events).toEqual([{ type: 'clock_skewed', skewMs: expect.closeTo(45_000, -2) }]);
  });

  it('a counter that vanishes is an event with its key, and counting goes on', async () => {
    const world = new World();
    const memory = world.memory();
    const quotas = world.open(new RemoteStore(world, memory));
    const quota = quotas.define({ id: 'q', limit: 10, period: 'day' });
    await world.settle(quota.take('s', 4));
    await memory.remove(['wq1:q:{s}:2026-11-30']);
    expect(await world.settle(quota.take('s', 1))).toMatchObject({ allowed: true, used: 1 });
    expect(world.events).toEqual([{ type: 'counter_vanished', quota: 'q', subject: 's', key: 'wq1:q:{s}:2026-11-30' }]);
    expect(quotas.metrics().vanished).toBe(1);
  });

  it('an entry that is no counter is an event, and the outage policy decides', async () => {
    const world = new World();
    const memory = world.memory();
    const quotas = world.open(new RemoteStore(world, memory));
    const quota = quotas.define({ id: 'q', limit: 10, period: 'day' });
    const { period } = await world.settle(quota.take('other'));
    expect(period).toBe('2026-11-30');
    await memory.swap('wq1:q:{s}:2026-11-30', undefined, 'text', deadlineAt(world.nowMs + 1_000, world.nowMs));
    expect(await world.settle(quota.take('s'))).toMatchObject({ allowed: false, source: 'outage-closed' });
    expect(world.events.map((event) => event.type)).toEqual(['counter_corrupt']);
  });

  it('a listener that throws hurts nobody', async () => {
    const world = new World();
    const quotas = world.open(new RemoteStore(world, world.memory()), {
      onEvent: () => {
        throw new Error('listener');
      },
      clock: () => world.nowMs - 45_000,
    });
    await world.settle(quotas.ready());
    const quota = quotas.define({ id: 'q', limit: 10, period: 'day' });
    expect((await world.settle(quota.take('s'))).allowed).toBe(true);
  });
});
