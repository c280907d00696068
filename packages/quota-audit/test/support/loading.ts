import { memcachedExchange, type MemcachedServer } from '@weir/testkit/memcached';
import { redisPipeline, type RedisServer } from '@weir/testkit/redis';
import { createClient } from 'redis';
import { nodeRedisNode, type RedisNode } from '../../src/index.ts';
import type { Planted } from './population.ts';

const BATCH = 10_000;

/** Writes keys into a Redis. */
export async function loadRedis(server: Pick<RedisServer, 'port'>, keys: Iterable<Planted>): Promise<void> {
  let batch: string[][] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await redisPipeline(server.port, batch);
    batch = [];
  };
  for (const { key, value, lifeMs } of keys) {
    batch.push(['SET', key, value, ...(lifeMs === undefined ? [] : ['PX', String(lifeMs)])]);
    if (batch.length >= BATCH) await flush();
  }
  await flush();
}

/** Writes keys into a memcached. Keys must be plain; lifetimes are rounded up to seconds. */
export async function loadMemcached(server: MemcachedServer, keys: Iterable<Planted>, nowMs: number): Promise<void> {
  let batch = '';
  let size = 0;
  const flush = async (): Promise<void> => {
    if (size > 0) await memcachedExchange(server.port, batch);
    batch = '';
    size = 0;
  };
  for (const { key, value, lifeMs } of keys) {
    // Absolute: a lifetime of 30 days and more would be read as a date in 1970.
    const expiry = lifeMs === undefined ? 0 : Math.ceil((nowMs + lifeMs) / 1_000);
    batch += `set ${key} 0 ${expiry} ${value.length} noreply\r\n${value}\r\n`;
    size += 1;
    if (size >= BATCH) await flush();
  }
  await flush();
}

/** A connection for an audit, and how to end it. */
export async function openNode(port: number): Promise<{ node: RedisNode; end: () => void }> {
  const client = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: false }, RESP: 2 });
  client.on('error', () => undefined);
  await client.connect();
  return { node: nodeRedisNode(client, `127.0.0.1:${port}`), end: () => client.destroy() };
}
