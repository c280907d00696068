import { startMemcached, type MemcachedServer } from '@weir/testkit/memcached';
import { startClusterRedis, startRedis, type ClusterRedis, type RedisServer } from '@weir/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { weir, type Ran } from '../support/running.ts';

let redis: RedisServer;
let memcached: MemcachedServer;
let cluster: ClusterRedis;

beforeAll(async () => {
  [redis, memcached, cluster] = await Promise.all([startRedis(), startMemcached(), startClusterRedis()]);
});

afterAll(async () => {
  await Promise.all([redis.stop(), memcached.stop(), cluster.stop()]);
});

const addresses: [name: string, url: () => string][] = [
  ['Redis', () => redis.url],
  ['memcached', () => `memcached://${memcached.address}`],
  ['a Redis Cluster', () => cluster.nodes[0]?.url ?? ''],
];

/** A quota of 3 a month: no test runs into its end. */
function on(verb: string, url: string, subject: string, ...more: string[]): Promise<Ran> {
  const limit = verb === 'reset' ? [] : ['--limit', '3'];
  return weir('quota', verb, url, '--quota', 'api', '--subject', subject, '--per', 'month', ...limit, ...more);
}

function parsed({ out }: Ran): Record<string, unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output
  return JSON.parse(out) as Record<string, unknown>;
}

describe.each(addresses)('weir quota on %s', (_name, url) => {
  it('takes until the limit, says no with exit code 1, and starts again after a reset', async () => {
    const taken = await on('take', url(), 'u 1', '--cost', '2', '--json');
    expect(taken.code).toBe(0);
    expect(parsed(taken)).toMatchObject({ allowed: true, used: 2, remaining: 1, limit: 3, source: 'store' });
    const refused = await on('take', url(), 'u 1', '--cost', '2');
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/^refused: 2 of 3 used/);
    expect(parsed(await on('peek', url(), 'u 1', '--json'))).toMatchObject({ used: 2, remaining: 1 });
    expect((await on('reset', url(), 'u 1')).code).toBe(0);
    expect(parsed(await on('peek', url(), 'u 1', '--json'))).toMatchObject({ used: 0, remaining: 3 });
  });

  it('charges an idempotency key once', async () => {
    await on('take', url(), 'once', '--key', 'k');
    expect(parsed(await on('take', url(), 'once', '--key', 'k', '--json'))).toMatchObject({ allowed: true, used: 1 });
  });

  it('lists the counters that are there, by quota and subject, all of them dated', async () => {
    await on('take', url(), 'listed');
    await on('take', url(), 'listed too', '--cost', '3');
    const all = parsed(await weir('quota', 'list', url(), '--json'));
    expect(all).toMatchObject({ counters: [{ quota: 'api', subject: 'listed too', used: 3 }, {}, {}] });
    expect(JSON.stringify(all)).not.toContain('"deadline":null');
    const one = await weir('quota', 'list', url(), '--quota', 'api', '--subject', 'listed', '--json');
    expect(parsed(one)).toMatchObject({ total: 1, counters: [{ subject: 'listed', used: 1 }] });
    expect((await weir('quota', 'list', url(), '--quota', 'none')).out).toContain('no counters');
  });
});

describe('weir quota', () => {
  it('ends with 2 when the store cannot be reached, the definition is wrong, or something is missing', async () => {
    const codes = await Promise.all([
      on('take', 'redis://127.0.0.1:1', 'u'),
      on('take', 'memcached://127.0.0.1:1', 'u'),
      on('take', redis.url, 'u', '--zone', 'Mars/Olympus'),
      weir('quota', 'take', redis.url, '--quota', 'a', '--subject', 's', '--limit', '1', '--per', 'fortnight'),
      weir('quota', 'take', redis.url, '--quota', 'a', '--subject', 's', '--per', 'day'),
      weir('quota', 'list', 'redis://127.0.0.1:1'),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2]);
  });
});
