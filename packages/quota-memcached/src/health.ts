import type { StoreHealth } from '@weir/quota';
import type { MemcachedClient } from './client.ts';
import type { CounterServer } from './counter-server.ts';

/** The state of all servers together; see `StoreHealth`. */
export async function healthOf(
  client: MemcachedClient,
  servers: readonly CounterServer[],
  countUndated: boolean,
): Promise<StoreHealth> {
  const [stats, settings, undated] = await Promise.all([
    Promise.all(servers.map((server) => server.stats())),
    Promise.all(client.servers.map((server) => server.stats('settings'))),
    countUndated ? undatedIn(client) : undefined,
  ]);
  const sum = (name: string): number => stats.reduce((total, one) => total + Number(one.get(name) ?? 0), 0);
  const evicts = settings.some((one) => one.get('evictions') !== 'off');
  return {
    instance: stats.map(instanceOf).join(' '),
    evictionPolicy: evicts ? 'lru' : 'noeviction',
    evicted: sum('evictions'),
    entries: sum('curr_items'),
    usedBytes: sum('bytes'),
    maxBytes: sum('limit_maxbytes'),
    ...(undated === undefined ? {} : { undated }),
  };
}

/** Changes with a restart, and with `flush_all`, after which the counters are gone just the same. */
function instanceOf(stats: ReadonlyMap<string, string>): string {
  const startedAt = Number(stats.get('time')) - Number(stats.get('uptime'));
  return `${stats.get('pid')}@${startedAt}/${stats.get('cmd_flush') ?? 0}`;
}

async function undatedIn(client: MemcachedClient): Promise<number> {
  let undated = 0;
  for await (const entry of client.dump()) {
    if (entry.expiresAtSeconds === -1) undated += 1;
  }
  return undated;
}
