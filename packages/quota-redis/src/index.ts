export * from './redis-store.ts';
export type { IoredisClient, NodeRedisClient, RedisClient, RedisCommands } from './redis-commands.ts';
