import rateLimitPlugin from '@fastify/rate-limit';
import { openQuotas } from '@weir/quota';
import { RedisStore } from '@weir/quota-redis';
import { startRedis, type RedisServer } from '@weir/testkit/redis';
import { rateLimit } from 'express-rate-limit';
import { fastify } from 'fastify';
import { Redis } from 'ioredis';
import { RedisStore as ExpressStore } from 'rate-limit-redis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisAuditedStore } from '../../src/index.ts';
import { auditOf } from '../support/auditing.ts';
import { openNode } from '../support/loading.ts';

const subjects = Array.from({ length: 20 }, (_, n) => `10.0.0.${n}`);

let server: RedisServer;
let client: Redis;

beforeAll(async () => {
  server = await startRedis();
  client = new Redis({ port: server.port, host: '127.0.0.1' });
});

afterAll(async () => {
  client.disconnect();
  await server.stop();
});

async function countWithFlexible(): Promise<void> {
  const limiter = new RateLimiterRedis({ storeClient: client, points: 5, duration: 60 });
  await Promise.all(subjects.map((subject) => limiter.consume(subject)));
}

async function countWithExpress(): Promise<void> {
  const other = createClient({ socket: { port: server.port, host: '127.0.0.1' } });
  await other.connect();
  const store = new ExpressStore({ sendCommand: (...args) => other.sendCommand(args) });
  // The middleware tells its store the window.
  rateLimit({ windowMs: 60_000, store });
  for (const subject of subjects) await store.increment(subject);
  other.destroy();
}

async function countWithFastify(): Promise<void> {
  const app = fastify();
  await app.register(rateLimitPlugin, { max: 5, timeWindow: 60_000, redis: client });
  app.get('/', () => 'hello');
  for (const remoteAddress of subjects) await app.inject({ url: '/', remoteAddress });
  await app.close();
}

async function countWithWeir(): Promise<void> {
  const quotas = openQuotas({ store: new RedisStore({ client }), healthEveryMs: 0 });
  const quota = quotas.define({ id: 'api', limit: 5, period: 'minute' });
  await Promise.all(subjects.map((subject) => quota.take(subject)));
  await quotas.close();
}

describe('counters that real limiters wrote', () => {
  it('are recognised as theirs, healthy as they are, and found when their deadline is lost', async () => {
    await countWithFlexible();
    await countWithExpress();
    await countWithFastify();
    await countWithWeir();
    const { node, end } = await openNode(server.port);
    const store = redisAuditedStore([node]);
    const healthy = await auditOf(store);
    expect(new Map(healthy.families.map(({ family, counters }) => [family, counters]))).toEqual(
      new Map([
        ['rate-limiter-flexible (rlflx:)', 20],
        ['rl:', 20],
        ['@fastify/rate-limit (fastify-rate-limit-)', 20],
        ['Weir, quota api', 20],
      ]),
    );
    expect(healthy.findings.keys).toBe(0);
    const keys = await client.keys('*');
    const robbed = keys.filter((_, index) => index % 4 === 0);
    await Promise.all(robbed.map((key) => client.persist(key)));
    expect((await auditOf(store)).findings).toMatchObject({ keys: robbed.length, undated: { keys: robbed.length } });
    end();
  });
});
