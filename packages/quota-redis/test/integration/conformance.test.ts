import { describeStore } from '@weir/quota-conformance';
import { startRedis } from '../../../testkit/src/redis/server.ts';
import type { RedisServer } from '../../../testkit/src/redis/server.ts';
import { afterAll, beforeAll } from 'vitest';
import { redisHarness } from './harness.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(() => server.stop());

for (const client of ['node-redis', 'ioredis'] as const) {
  for (const fastPath of [false, true]) {
    describeStore(`redis over ${client}${fastPath ? ', fast path' : ''}`, {
      capability: 'dated-increment',
      create: () => redisHarness(client, { fastPath, server }),
    });
  }
}
