import { QuotaError } from '@weir/quota';
import type { RedisClient, RedisCommands } from '../redis-commands.ts';
import { ioredisCommands, isIoredis } from './ioredis.ts';
import { isNodeRedis, nodeRedisCommands } from './node-redis.ts';

/**
 * The port over a client that the application holds. The client is recognised by its shape, so neither library is imported.
 * @throws {QuotaError} `invalid-argument` when it is neither.
 */
export function redisCommands(client: RedisClient | RedisCommands): RedisCommands {
  if ('sendToPrimaries' in client) return client;
  if (isIoredis(client)) return ioredisCommands(client);
  if (isNodeRedis(client)) return nodeRedisCommands(client);
  throw new QuotaError(
    'invalid-argument',
    'the client is neither a node-redis nor an ioredis client, nor RedisCommands',
  );
}
