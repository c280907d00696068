import { describeStore } from '@weir/quota-conformance';
import { afterAll, beforeAll } from 'vitest';
import { startRedis } from '../../../testkit/src/redis/server.ts';
import type { RedisServer } from '../../../testkit/src/redis/server.ts';
import { startClusterRedis } from '../../../testkit/src/redis/topologies.ts';
import type { ClusterRedis } from '../../../testkit/src/redis/topologies.ts';
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
