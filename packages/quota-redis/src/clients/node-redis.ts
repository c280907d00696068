import { subscribe } from 'node:diagnostics_channel';
import { errorMonitor } from 'node:events';
import { QuotaError } from '@weir/quota';
import type { NodeRedisClient, RedisCommands } from '../redis-commands.ts';
import { asNumber } from '../replies.ts';
import { slotOf } from '../slots.ts';
import { Recall } from './recall.ts';

/**
 * No type mapping of the application applies: replies come as plain strings and numbers. No time-out per command either: it is
 * one for commands that wait to be written, and this port rejects these at once; its signals cost more than the command.
 */
interface SendOptions {
  readonly typeMapping: object;
  readonly timeout: undefined;
  readonly abortSignal: AbortSignal | undefined;
}

/** The parts of `createClient` and `createClientPool` that are used. A pool does not say whether it is ready. */
interface Single {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
  /** How often it has been ready. Not known to the first releases of version 5. */
  readonly socketEpoch?: number;
  /** Missing where an application wraps a client: then the wrapper decides what becomes of a command that was not written. */
  on?(event: 'ready' | 'reconnecting' | typeof errorMonitor, listener: () => void): unknown;
  sendCommand(args: readonly string[], options: SendOptions): Promise<unknown>;
}

/** The parts of `createCluster` that are used. */
interface Cluster {
  readonly isOpen: boolean;
  readonly masters: readonly ClusterNode[];
  readonly slots: readonly ({ readonly master: ClusterNode } | undefined)[];
  nodeClient(node: ClusterNode): Promise<Single>;
  sendCommand(
    key: string | undefined,
    readOnly: boolean,
    args: readonly string[],
    options: SendOptions,
  ): Promise<unknown>;
}

interface ClusterNode {
  readonly address: string;
  readonly client?: Single;
}

/** The parts of `createSentinel` that are used. */
interface Sentinel {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
  sendCommand(readOnly: boolean, args: readonly string[], options: SendOptions): Promise<unknown>;
}

function options(abortSignal?: AbortSignal): SendOptions {
  return { typeMapping: {}, timeout: undefined, abortSignal };
}

function down(why: string): QuotaError {
  return new QuotaError('store-unavailable', `the node-redis client is not connected (${why})`);
}

/** Whether the object has the shape of a node-redis client. */
export function isNodeRedis(client: object): client is NodeRedisClient {
  return (
    'sendCommand' in client &&
    typeof client.sendCommand === 'function' &&
    'isOpen' in client &&
    typeof client.isOpen === 'boolean'
  );
}

function isCluster(client: object): client is Cluster {
  return 'masters' in client && 'slots' in client && 'nodeClient' in client;
}

function isSentinel(client: object): client is Sentinel {
  return 'getSentinelNode' in client && 'getMasterNode' in client;
}

function isSingle(client: object): client is Single {
  return isNodeRedis(client);
}

/** The port over a node-redis client: single server, pool, Sentinel or Cluster. */
export function nodeRedisCommands(client: NodeRedisClient): RedisCommands {
  if (isCluster(client)) return clusterCommands(client);
  if (isSentinel(client)) return sentinelCommands(client);
  if (isSingle(client)) return singleCommands(client);
  throw new QuotaError('invalid-argument', 'the client is no node-redis client');
}

/** Rejects while the client is closed, or has lost the server that it had. While it connects for the first time it queues. */
function watch(client: Pick<Single, 'isOpen' | 'isReady' | 'socketEpoch'>): () => void {
  let wasReady = false;
  return () => {
    if (!client.isOpen) throw down('closed; call connect() first');
    wasReady ||= hasBeenReady(client);
    if (wasReady && client.isReady === false) throw down('reconnecting');
  };
}

function hasBeenReady({ isReady, socketEpoch = 0 }: Pick<Single, 'isReady' | 'socketEpoch'>): boolean {
  return isReady === true || socketEpoch > 0;
}

const recalls = new WeakMap<Single, Recall>();

/** What takes back the commands of a client or pool. */
function recallOf(client: Single): Recall | undefined {
  const known = recalls.get(client);
  if (known !== undefined || client.on === undefined) return known;
  const recall = new Recall();
  recalls.set(client, recall);
  if (client.isReady === undefined) {
    // A pool tells of its connections only by their errors.
    client.on(errorMonitor, () => recall.takeBack());
    return recall;
  }
  let wasReady = hasBeenReady(client);
  client.on('ready', () => {
    wasReady = true;
  });
  // What waits for a client to connect for the first time keeps waiting.
  client.on('reconnecting', () => {
    if (wasReady) recall.takeBack();
  });
  return recall;
}

function sendTo(client: Single, args: readonly string[]): Promise<unknown> {
  return client.sendCommand(args, options(recallOf(client)?.signal));
}

function singleCommands(client: Single): RedisCommands {
  const assertUp = watch(client);
  const send = async (args: readonly string[]): Promise<unknown> => {
    assertUp();
    return sendTo(client, args);
  };
  return {
    client: 'node-redis',
    isCluster: false,
    // The raw commands used here pass a key prefix of the application by.
    keyPrefix: '',
    send,
    // The client writes everything of one turn of the event loop at once.
    sendAll: (commands) => commands.map((args) => send(args)),
    sendToPrimaries: async (args) => [await send(args)],
    nodeOf: () => undefined,
    knows: () => true,
    reconnect: () => {
      // node-redis has no call for it. The server is asked to hang up, and the client's own strategy takes over.
      void (async () => {
        const id = String(asNumber(await send(['CLIENT', 'ID'])));
        await send(['CLIENT', 'KILL', 'ID', id, 'SKIPME', 'no']);
      })().catch(() => undefined);
    },
  };
}

/*
 * The Sentinel client hides its connections, and sends a command again when the connection broke under it, although the server
 * may have carried it out. But when a connection closes, node-redis publishes that before it fails what was written on it: a
 * second time then comes with a signal that is aborted. Any connection of the process counts, so that now and then a command
 * fails for another one's end.
 */
const CONNECTION_CLOSED = 'node-redis:connection:closed';
let sentinelRecall: Recall | undefined;

function recallOfSentinels(): Recall {
  if (sentinelRecall !== undefined) return sentinelRecall;
  const recall = new Recall();
  subscribe(CONNECTION_CLOSED, () => recall.takeBack());
  sentinelRecall = recall;
  return recall;
}

function sentinelCommands(client: Sentinel): RedisCommands {
  const assertUp = watch(client);
  const recall = recallOfSentinels();
  const send = async (args: readonly string[]): Promise<unknown> => {
    assertUp();
    return client.sendCommand(false, args, options(recall.signal));
  };
  return {
    client: 'node-redis',
    isCluster: false,
    keyPrefix: '',
    send,
    sendAll: (commands) => commands.map((args) => send(args)),
    sendToPrimaries: async (args) => [await send(args)],
    nodeOf: () => undefined,
    knows: () => true,
    // READONLY makes the Sentinel client look for the primary by itself.
    reconnect: () => undefined,
  };
}

function clusterCommands(client: Cluster): RedisCommands {
  /** Addresses that answered once. A node that is connecting for the first time queues; one that was lost must not. */
  const known = new Set<string>();
  const assertUp = (node: ClusterNode | undefined): void => {
    if (!client.isOpen) throw down('closed; call connect() first');
    if (node === undefined) return;
    if (node.client !== undefined && hasBeenReady(node.client)) known.add(node.address);
    if (node.client?.isReady !== true && known.has(node.address)) {
      // The cluster client drops a node's connection for good sometimes, and makes a new one only when it is asked for it.
      if (node.client === undefined) void client.nodeClient(node).catch(() => undefined);
      throw down(`${node.address} is gone`);
    }
  };
  const send = async (args: readonly string[], key?: string): Promise<unknown> => {
    const owner = key === undefined ? undefined : client.slots[slotOf(key)]?.master;
    assertUp(owner);
    // Left to itself, the cluster client sends a command without a key to any node, a dead one included.
    const anyNode =
      key === undefined ? client.masters.find((node) => node.client?.isReady === true)?.client : undefined;
    if (anyNode !== undefined) return sendTo(anyNode, args);
    // A node without a client is connected to for the first time by this command, and waited for.
    const recall = owner?.client === undefined ? undefined : recallOf(owner.client);
    return client.sendCommand(key, false, args, options(recall?.signal));
  };
  return {
    client: 'node-redis',
    isCluster: true,
    keyPrefix: '',
    send,
    sendAll: (commands, key) => commands.map((args) => send(args, key)),
    sendToPrimaries: async (args) => {
      assertUp(undefined);
      return Promise.all(
        client.masters.map(async (node) => {
          assertUp(node);
          return sendTo(await client.nodeClient(node), args);
        }),
      );
    },
    nodeOf: (slot) => client.slots[slot]?.master.address,
    knows: () => true,
    // A demoted node answers MOVED, and the client follows.
    reconnect: () => undefined,
  };
}
