import { describeStore } from '@weir/quota-conformance';
import { afterAll, beforeAll } from 'vitest';
import { startRedis } from '@weir/testkit/redis';
import type { RedisServer } from '@weir/testkit/redis';
import { startClusterRedis } from '@weir/testkit/redis';
import type { ClusterRedis } from '@weir/testkit/redis';
import { clientNames, clusterHarness, redisHarness } from '../support/harness.ts';

let server: RedisServer;
let cluster: ClusterRedis;

beforeAll(async () => {
  [server, cluster] = await Promise.all([startRedis(), startClusterRedis()]);
});

afterAll(() => Promise.all([server.stop(), cluster.stop()]));

for (const client of clientNames) {
  describeStore(`redis by script over ${client}`, {
    capability: 'dated-increment',
    create: () => redisHarness({ client, server }),
  });

  describeStore(`redis on the fast path over ${client}`, {
    capability: 'dated-increment',
    create: () => redisHarness({ client, server, fastPath: true }),
  });

  describeStore(`redis with INCREX over ${client}`, {
    capability: 'dated-increment',
    create: () => redisHarness({ client, server, increx: true }),
  });

  describeStore(`redis cluster over ${client}`, {
    capability: 'dated-increment',
    atomicGroups: false,
    create: () => clusterHarness(cluster, client),
  });
}
