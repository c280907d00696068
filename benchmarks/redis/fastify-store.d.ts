// The package has no types for its stores; this is what its `store/RedisStore.js` takes.
declare module '@fastify/rate-limit/store/RedisStore.js' {
  import type { Redis } from 'ioredis';

  export default class RedisStore {
    constructor(continueExceeding: boolean, exponentialBackoff: boolean, redis: Redis, keyPrefix: string);
    incr(
      key: string,
      callback: (error: Error | null, result: { current: number; ttl: number } | null) => void,
      timeWindowMs: number,
      max: number,
    ): void;
  }
}
