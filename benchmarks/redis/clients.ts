import { Redis } from 'ioredis';
import { createClient, type RedisClientType } from 'redis';

/** How a client is made. `tuned`: with the option that makes most of these limiters fastest, which is not its default. */
export interface ClientChoice {
  readonly library: 'node-redis' | 'ioredis';
  readonly tuned: boolean;
}

/**
 * A connected client of node-redis. It times out commands after 5 s by default, with a signal for each, which costs more than
 * the command; tuned, it does not.
 */
export async function nodeRedis(url: string, tuned: boolean): Promise<RedisClientType> {
  const client = createClient({ url, commandOptions: tuned ? { timeout: 0 } : {} }) as RedisClientType;
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A connected client of ioredis. It writes each command apart by default; tuned, those of one tick travel in one write. */
export async function ioRedis(url: string, tuned: boolean): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true, enableAutoPipelining: tuned });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export function connect(url: string, { library, tuned }: ClientChoice): Promise<RedisClientType | Redis> {
  return library === 'ioredis' ? ioRedis(url, tuned) : nodeRedis(url, tuned);
}
