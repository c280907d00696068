import type { Store } from '@weir/quota';
import type { Harness } from '@weir/quota-conformance';
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster, createSentinel } from 'redis';
import { startFaultProxy } from '@weir/testkit/network';
import type { FaultProxy } from '@weir/testkit/network';
import { startIncrexFront } from '@weir/testkit/redis';
import type { RedisServer } from '@weir/testkit/redis';
import type { ClusterRedis, SentinelRedis } from '@weir/testkit/redis';
import { RedisStore } from '../../src/index.ts';
import type { RedisStoreOptions } from '../../src/index.ts';

/** Longest silence that the clients under test accept, in ms; a half-open connection is noticed after it. */
const SILENCE_MS = 700;

export const clientNames = ['node-redis', 'ioredis'] as const;
export type ClientName = (typeof clientNames)[number];

/** A connected client and how to end it. */
export interface Connected {
  readonly client: RedisStoreOptions['client'];
  readonly end: () => void;
}

/** A client of one server, as an application would make it. */
export async function connectClient(name: ClientName, port: number): Promise<Connected> {
  if (name === 'ioredis') {
    const client = new Redis({ port, host: '127.0.0.1', socketTimeout: SILENCE_MS, retryStrategy: () => 50 });
    client.on('error', () => undefined);
    await client.ping();
    return { client, end: () => client.disconnect() };
  }
  const client = createClient({
    socket: { port, host: '127.0.0.1', socketTimeout: SILENCE_MS, reconnectStrategy: () => 50 },
    pingInterval: SILENCE_MS / 3,
  });
  client.on('error', () => undefined);
  await client.connect();
  return { client, end: () => client.destroy() };
}

/** A client of a cluster. */
export async function connectCluster(name: ClientName, cluster: ClusterRedis): Promise<Connected> {
  if (name === 'ioredis') {
    const client = new Cluster(cluster.nodes.map(({ port }) => ({ port, host: '127.0.0.1' })));
    client.on('error', () => undefined);
    await client.ping();
    return { client, end: () => client.disconnect() };
  }
  const client = createCluster({ rootNodes: cluster.nodes.map(({ url }) => ({ url })) });
  client.on('error', () => undefined);
  client.on('node-error', () => undefined);
  await client.connect();
  return { client, end: () => client.destroy() };
}

/**
 * A client of a group that Sentinels watch.
 * @param via where the primary is reached, if not at its own port.
 */
export async function connectSentinel(name: ClientName, group: SentinelRedis, via?: number): Promise<Connected> {
  const sentinels = group.sentinels.map(({ port, host }) => ({ port, host }));
  const { host, port } = group.primary;
  const map = via === undefined ? {} : { [`${host}:${port}`]: { host, port: via } };
  if (name === 'ioredis') {
    // Without the detector the client stays with the former primary until a Sentinel demotes that.
    const client = new Redis({
      sentinels,
      name: group.name,
      failoverDetector: true,
      retryStrategy: () => 50,
      natMap: map,
    });
    client.on('error', () => undefined);
    await client.ping();
    return { client, end: () => client.disconnect() };
  }
  const client = createSentinel({ name: group.name, sentinelRootNodes: sentinels, nodeAddressMap: map });
  client.on('error', () => undefined);
  client.on('client-error', () => undefined);
  await client.connect();
  return { client, end: () => void client.destroy() };
}

/** The server's own view of a deadline. */
export async function deadlineOf(server: RedisServer, key: string): Promise<number | 'undated' | 'absent'> {
  const deadline = Number(await server.command('PEXPIRETIME', key));
  if (deadline === -2) return 'absent';
  return deadline === -1 ? 'undated' : deadline;
}

/** Keys without a deadline on a server. */
export async function undatedOn(server: RedisServer): Promise<number> {
  const counts = /keys=(\d+),expires=(\d+)/.exec(String(await server.command('INFO', 'keyspace')));
  return counts === null ? 0 : Number(counts[1]) - Number(counts[2]);
}

/** What a harness of the conformance suite is made of. */
export interface HarnessOptions {
  readonly server: RedisServer;
  readonly client: ClientName;
  readonly fastPath?: boolean;
  /** Puts a front with INCREX before the server, and probes each store. */
  readonly increx?: boolean;
}

/** A server behind a fault proxy, for one test of the conformance suite. */
export async function redisHarness({ server, client, fastPath, increx }: HarnessOptions): Promise<Harness> {
  const front = increx === true ? await startIncrexFront(server) : undefined;
  const proxy = await startFaultProxy({ port: front?.port ?? server.port });
  const ends: (() => void)[] = [];
  const open = async (): Promise<Store> => {
    const connected = await connectClient(client, proxy.port);
    ends.push(connected.end);
    const store = new RedisStore({ client: connected.client, fastPath: fastPath ?? false });
    if (front !== undefined && (await store.probe()).mechanism !== 'INCREX') throw new Error('INCREX was not found');
    return store;
  };
  return {
    open,
    deadlineOf: (key) => deadlineOf(server, key),
    plantUndated: async (key, total) => void (await server.command('SET', key, String(total))),
    faults: faults(server, proxy),
    close: async () => {
      for (const end of ends) end();
      await proxy.close();
      await front?.close();
    },
  };
}

/** A cluster, for one test of the conformance suite. */
export async function clusterHarness(cluster: ClusterRedis, client: ClientName): Promise<Harness> {
  const ends: (() => void)[] = [];
  const everywhere = async (...words: string[]): Promise<void> => {
    await Promise.all(cluster.nodes.map((node) => node.command(...words)));
  };
  return {
    open: async () => {
      const connected = await connectCluster(client, cluster);
      ends.push(connected.end);
      return new RedisStore({ client: connected.client });
    },
    deadlineOf: async (key) => deadlineOf(await cluster.nodeOf(key), key),
    plantUndated: async (key, total) => void (await (await cluster.nodeOf(key)).command('SET', key, String(total))),
    faults: {
      restart: () => cluster.restart(),
      flush: () => everywhere('FLUSHALL'),
      forgetScripts: () => everywhere('SCRIPT', 'FLUSH'),
      refuseWrites: async (during) => {
        await everywhere('CONFIG', 'SET', 'min-replicas-to-write', '1');
        await during();
        await everywhere('CONFIG', 'SET', 'min-replicas-to-write', '0');
      },
    },
    close: async () => {
      for (const end of ends) end();
    },
  };
}

function faults(server: RedisServer, proxy: FaultProxy): NonNullable<Harness['faults']> {
  const under = async (mode: 'stall' | 'half-open', during: () => Promise<unknown>): Promise<void> => {
    proxy.setMode(mode);
    await during();
    proxy.setMode('pass');
  };
  return {
    loseReply: async (write) => {
      proxy.cutReplies(1);
      await write();
      proxy.setMode('pass');
    },
    stall: (during) => under('stall', during),
    halfOpen: (during) => under('half-open', during),
    restart: async () => {
      await server.kill();
      await server.restart();
    },
    flush: async () => void (await server.command('FLUSHALL')),
    forgetScripts: async () => void (await server.command('SCRIPT', 'FLUSH')),
    refuseWrites: async (during) => {
      await server.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
      await during();
      await server.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
    },
  };
}
