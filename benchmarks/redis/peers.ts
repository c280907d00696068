import RedisStoreOfFastify from '@fastify/rate-limit/store/RedisStore.js';
import { rateLimit } from 'express-rate-limit';
import { RedisStore as RateLimitRedis, type RedisReply } from 'rate-limit-redis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { connect, ioRedis, type ClientChoice } from './clients.ts';
import { limiterOf, type OpenLimiter } from './limiter.ts';

/** rate-limiter-flexible, with the memory of blocked keys that its documentation advises. */
export function flexible(choice: ClientChoice): OpenLimiter {
  return async (url, { limit, periodSeconds, mark }) => {
    const client = await connect(url, choice);
    const limiter = new RateLimiterRedis({
      storeClient: client,
      useRedisPackage: choice.library === 'node-redis',
      keyPrefix: mark,
      points: limit,
      duration: periodSeconds,
      inMemoryBlockOnConsumed: limit,
    });
    return limiterOf(
      (subject) => limiter.consume(subject),
      // It rejects when it refuses.
      (answer) => answer.consumedPoints > 0,
      () => client.quit(),
    );
  };
}

/** The store of rate-limit-redis, without the middleware around it. */
export function rateLimitRedis(choice: ClientChoice): OpenLimiter {
  return async (url, { limit, periodSeconds, mark }) => {
    const client = await connect(url, choice);
    const sendCommand = async (command: string, ...args: string[]): Promise<RedisReply> => {
      const reply: unknown = await ('call' in client
        ? client.call(command, ...args)
        : client.sendCommand([command, ...args]));
      return isReply(reply) ? reply : [];
    };
    const store = new RateLimitRedis({ sendCommand, prefix: `${mark}:` });
    // The middleware tells its store the period.
    rateLimit({ windowMs: periodSeconds * 1_000, limit, store });
    return limiterOf(
      (subject) => store.increment(subject),
      ({ totalHits }) => totalHits <= limit,
      () => client.quit(),
    );
  };
}

function isReply(reply: unknown): reply is RedisReply {
  return typeof reply === 'string' || typeof reply === 'number' || Array.isArray(reply);
}

/** The Redis store of @fastify/rate-limit, without the plugin around it. It needs ioredis. */
export const fastifyRateLimit =
  ({ tuned }: ClientChoice): OpenLimiter =>
  async (url, { limit, periodSeconds, mark }) => {
    const client = await ioRedis(url, tuned);
    const store = new RedisStoreOfFastify(false, false, client, `${mark}-`);
    const incr = (subject: string): Promise<number> =>
      new Promise((resolve, reject) => {
        store.incr(
          subject,
          (error, result) => {
            if (result === null) reject(error ?? new Error('no answer'));
            else resolve(result.current);
          },
          periodSeconds * 1_000,
          limit,
        );
      });
    return limiterOf(
      incr,
      (current) => current <= limit,
      () => client.quit(),
    );
  };

/** What is written by hand most often: INCR, and EXPIRE when that made the counter. A crash in between leaves it for ever. */
export function naive(choice: ClientChoice): OpenLimiter {
  return async (url, { limit, periodSeconds, mark }) => {
    const client = await connect(url, choice);
    const incr = async (subject: string): Promise<number> => {
      const key = `${mark}:${subject}`;
      const total = await client.incr(key);
      if (total === 1) await client.expire(key, periodSeconds);
      return total;
    };
    return limiterOf(
      incr,
      (total) => total <= limit,
      () => client.quit(),
    );
  };
}
