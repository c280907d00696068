import { Redis } from 'ioredis';
import { createClient, type RedisClientType } from 'redis';

export type ClientName = 'node-redis' | 'ioredis';

/**
 * A connected client of node-redis, as all limiters get it. No time-out per command: node-redis 6 sets a signal for each, which
 * costs more than the command and which no limiter here needs.
 */
export async function nodeRedis(url: string): Promise<RedisClientType> {
  const client = createClient({ url, commandOptions: { timeout: 0 } }) as RedisClientType;
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** @param pipelined commands of one tick travel in one write. An option of ioredis; off by default. */
export async function ioRedis(url: string, pipelined: boolean): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true, enableAutoPipelining: pipelined });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
