import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from '../network/free-ports.ts';
import { startRedis } from './server.ts';
import type { RedisServer } from './server.ts';

const SETTLE_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const SLOTS = 16_384;

/** Waits until `check` is true; a check that throws counts as not yet. @throws after 30 s, naming `what`. */
async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const giveUpMs = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    if (await check().catch(() => false)) return;
    if (performance.now() > giveUpMs) throw new Error(`${what} did not happen within ${SETTLE_TIMEOUT_MS} ms`);
    await wait(POLL_MS);
  }
}

async function stopAll(servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

/** A primary with one replica. */
export interface ReplicatedRedis {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Makes the replica the primary and the primary its replica, as an operator's failover does. */
  swapRoles(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a primary and a replica, and waits until they are in step. */
export async function startReplicatedRedis(): Promise<ReplicatedRedis> {
  const config = { 'repl-diskless-sync-delay': '0', 'repl-ping-replica-period': '1' };
  const primary = await startRedis({ config });
  const replica = await startRedis({ config: { ...config, replicaof: `127.0.0.1 ${primary.port}` } });
  await until('the link of the replica', () => isLinked(replica));
  return {
    primary,
    replica,
    swapRoles: async () => {
      await replica.command('REPLICAOF', 'NO', 'ONE');
      await primary.command('REPLICAOF', '127.0.0.1', String(replica.port));
      await until('the link of the former primary', () => isLinked(primary));
    },
    stop: () => stopAll([replica, primary]),
  };
}

async function isLinked(replica: RedisServer): Promise<boolean> {
  return String(await replica.command('INFO', 'replication')).includes('master_link_status:up');
}

/** A primary with a replica, watched by Sentinels. */
export interface SentinelRedis extends ReplicatedRedis {
  readonly name: string;
  readonly sentinels: readonly RedisServer[];
  /** Port of the primary that the Sentinels name now. */
  primaryPort(): Promise<number>;
  /** Asks a Sentinel for a failover and waits until all Sentinels name the other server. */
  failover(): Promise<void>;
}

/** Starts a primary, a replica and two Sentinels with quorum 1. A dead primary is noticed after one second. */
export async function startSentinelRedis(): Promise<SentinelRedis> {
  const pair = await startReplicatedRedis();
  const name = 'weir';
  const start = (): Promise<RedisServer> =>
    startRedis({
      sentinel: true,
      config: {
        'sentinel monitor': `${name} 127.0.0.1 ${pair.primary.port} 1`,
        'sentinel down-after-milliseconds': `${name} 1000`,
        'sentinel failover-timeout': `${name} 6000`,
      },
    });
  const sentinels = [await start(), await start()];
  const named = async (sentinel: RedisServer): Promise<number> => {
    const address = await sentinel.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name);
    return Array.isArray(address) ? Number(address[1]) : 0;
  };
  const all = async (check: (sentinel: RedisServer) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all(sentinels.map(check))).every(Boolean);
  await until('the Sentinels seeing each other and the replica', () =>
    all(async (sentinel) => {
      const state = String(await sentinel.command('INFO', 'sentinel'));
      return state.includes('status=ok') && state.includes('slaves=1,sentinels=2');
    }),
  );
  return {
    ...pair,
    name,
    sentinels,
    primaryPort: () => named(sentinels[0] ?? pair.primary),
    failover: async () => {
      const before = await named(sentinels[0] ?? pair.primary);
      await until('a failover being accepted', async () => {
        await sentinels[0]?.command('SENTINEL', 'FAILOVER', name);
        return true;
      });
      await until('the failover', () => all(async (sentinel) => (await named(sentinel)) !== before));
    },
    stop: async () => {
      await stopAll(sentinels);
      await pair.stop();
    },
  };
}

/** Redis Cluster nodes without replicas. */
export interface ClusterRedis {
  readonly nodes: readonly RedisServer[];
  /** The node that serves a key. */
  nodeOf(key: string): Promise<RedisServer>;
  /** Kills all nodes and starts them again; resolves when the cluster serves every slot. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a cluster of three nodes without replicas, with all slots assigned evenly, and waits until it is up. */
export async function startClusterRedis(nodeCount = 3): Promise<ClusterRedis> {
  const nodes: RedisServer[] = [];
  try {
    for (const busPort of await freePorts(nodeCount)) {
      const config = {
        'cluster-enabled': 'yes',
        'cluster-port': String(busPort),
        'cluster-node-timeout': '2000',
        'cluster-config-file': 'nodes.conf',
      };
      nodes.push(await startRedis({ config }));
    }
    await join(nodes);
  } catch (error) {
    await stopAll(nodes);
    throw error;
  }
  const bounds = nodes.map((_, index) => Math.floor((SLOTS * (index + 1)) / nodes.length));
  return {
    nodes,
    nodeOf: async (key) => {
      const slot = Number(await nodes[0]?.command('CLUSTER', 'KEYSLOT', key));
      const node = nodes[bounds.findIndex((bound) => slot < bound)];
      if (node === undefined) throw new Error(`no node serves slot ${slot}`);
      return node;
    },
    restart: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all(nodes.map((node) => node.restart()));
      await up(nodes);
    },
    stop: () => stopAll(nodes),
  };
}

async function join(nodes: readonly RedisServer[]): Promise<void> {
  const [first] = nodes;
  for (const [index, node] of nodes.entries()) {
    const from = Math.floor((SLOTS * index) / nodes.length);
    const to = Math.floor((SLOTS * (index + 1)) / nodes.length) - 1;
    await node.command('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    if (node === first || first === undefined) continue;
    await first.command('CLUSTER', 'MEET', node.host, String(node.port), await busPort(node));
  }
  await up(nodes);
}

async function up(nodes: readonly RedisServer[]): Promise<void> {
  await until('the cluster coming up', async () => {
    const states = await Promise.all(nodes.map((node) => node.command('CLUSTER', 'INFO')));
    return states.every(
      (state) => /cluster_state:ok[^]*cluster_known_nodes:(\d+)/.exec(String(state))?.[1] === String(nodes.length),
    );
  });
}

async function busPort(node: RedisServer): Promise<string> {
  const reply = await node.command('CONFIG', 'GET', 'cluster-port');
  return Array.isArray(reply) ? String(reply[1]) : '';
}
