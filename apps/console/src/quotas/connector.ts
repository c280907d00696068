import { MemoryStore, type Timers } from '@weir/quota';
import { memcachedAuditedStore, nodeRedisNode, redisAuditedStore } from '@weir/quota-audit';
import { MemcachedClient, MemcachedStore } from '@weir/quota-memcached';
import { RedisStore } from '@weir/quota-redis';
import { createClient } from 'redis';
import { guardedLookup } from '../host/guarded-lookup.ts';
import type { Clock } from '../ports/clock.ts';
import type { QuotaConnection, QuotaConnector, QuotaTarget } from '../ports/quota-connector.ts';

/** How long a connection may take to be made, and a call to be answered, in ms. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection on which nothing comes for this long is dead; pings come more often. */
const SOCKET_TIMEOUT_MS = 15_000;
const PING_MS = 5_000;
const LONGEST_PAUSE_MS = 5_000;
/** Counters in the console's own memory at most: some 50 MB. */
const MAX_MEMORY_COUNTERS = 200_000;

/** Timers of the engine on the console's clock. */
export function engineTimers(clock: Clock): Timers {
  return { set: (run, ms) => clock.after(ms, run) };
}

/** Opens stores in this process, on Redis and Valkey, and on memcached. */
export function quotaConnector(clock: Clock): QuotaConnector {
  return {
    async connect(target) {
      switch (target.kind) {
        case 'memory':
          return memory(clock);
        case 'redis':
          return redis(target);
        case 'memcached':
          return memcached(target);
        default:
          return target.kind satisfies never;
      }
    },
  };
}

function memory(clock: Clock): QuotaConnection {
  const now = (): number => clock.nowMs();
  const store = new MemoryStore({ maxEntries: MAX_MEMORY_COUNTERS, clock: now, timers: engineTimers(clock) });
  return { store, audited: null, close: async () => undefined };
}

async function redis({ address, username, password }: QuotaTarget): Promise<QuotaConnection> {
  // Valkey speaks the protocol of Redis under another name.
  const url = new URL(address.replace(/^valkey/, 'redis'));
  let connected = false;
  const client = createClient({
    url: url.href,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    RESP: 2,
    pingInterval: PING_MS,
    // Takes must fail at once while the server is away: their outage policy decides, not a queue.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      lookup: guardedLookup,
      // The first connection says at once what is wrong; one that was lost is made again.
      reconnectStrategy: (retries) =>
        connected ? Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(retries, 10)) : false,
    },
  });
  // Without a listener a lost connection would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A user that may not ask is not on a cluster, as far as we can tell.
    const info: unknown = await client.sendCommand(['INFO', 'cluster']).catch(() => '');
    if (typeof info === 'string' && /^cluster_enabled:1/m.test(info)) {
      throw new Error('it is a node of a Redis Cluster: the console connects to single servers');
    }
  } catch (error) {
    client.destroy();
    throw error;
  }
  connected = true;
  return {
    store: new RedisStore({ client }),
    audited: redisAuditedStore([nodeRedisNode(client, url.host)]),
    close: async () => client.destroy(),
  };
}

async function memcached({ address }: QuotaTarget): Promise<QuotaConnection> {
  const servers = address.slice('memcached://'.length).split(',');
  const client = new MemcachedClient({ servers, callTimeoutMs: CONNECT_TIMEOUT_MS, lookup: guardedLookup });
  try {
    await Promise.all(client.servers.map((server) => server.mn()));
  } catch (error) {
    client.close();
    throw error;
  }
  return {
    store: new MemcachedStore(client),
    audited: memcachedAuditedStore(client),
    close: async () => client.close(),
  };
}
