import { subscribe } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import { QuotaError } from '@weir/quota';
import type { NodeRedisClient, RedisCommands } from '../redis-commands.ts';
import { asNumber } from '../replies.ts';
import { replyCode } from '../reply-errors.ts';
import { slotOf } from '../slots.ts';

/**
 * No type mapping of the application applies: replies come as plain strings and numbers. No time-out per command either: it is
 * one for commands that wait to be written, and this port rejects these at once; its signals cost more than the command.
 */
interface SendOptions {
  readonly typeMapping: object;
  readonly timeout: undefined;
  readonly abortSignal?: AbortSignal;
}

/** The parts of `createClient` and `createClientPool` that are used. */
interface Single {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
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

const OPTIONS: SendOptions = { typeMapping: {}, timeout: undefined };

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

function down(why: string, cause?: unknown): QuotaError {
  return new QuotaError('store-unavailable', `the node-redis client is not connected (${why})`, { cause });
}

/** Rejects while the client is closed, or has lost the server that it had. While it connects for the first time it queues. */
function watch(client: { readonly isOpen: boolean; readonly isReady?: boolean }): () => void {
  let wasReady = false;
  return () => {
    if (!client.isOpen) throw down('closed; call connect() first');
    wasReady ||= client.isReady === true;
    if (wasReady && client.isReady === false) throw down('reconnecting');
  };
}

function singleCommands(client: Single): RedisCommands {
  const assertUp = watch(client);
  const send = async (args: readonly string[]): Promise<unknown> => {
    assertUp();
    return client.sendCommand(args, OPTIONS);
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
 * The Sentinel client sends a command again when the connection broke under it, although the server may have carried it out. A
 * signal that is aborted has no effect on a command that was written, and stops the second one. The moment is when a
 * connection closes, which node-redis publishes before it fails the commands on it.
 */
const CONNECTION_CLOSED = 'node-redis:connection:closed';
let sentinelCommandsUnderWay: AbortController | undefined;

function newController(): AbortController {
  const controller = new AbortController();
  // Every command under way listens.
  setMaxListeners(0, controller.signal);
  return controller;
}

function stopRepetitions(): AbortSignal {
  if (sentinelCommandsUnderWay === undefined) {
    subscribe(CONNECTION_CLOSED, () => {
      sentinelCommandsUnderWay?.abort();
      sentinelCommandsUnderWay = newController();
    });
  }
  sentinelCommandsUnderWay ??= newController();
  return sentinelCommandsUnderWay.signal;
}

function sentinelCommands(client: Sentinel): RedisCommands {
  const assertUp = watch(client);
  const send = async (args: readonly string[]): Promise<unknown> => {
    assertUp();
    const abortSignal = stopRepetitions();
    try {
      return await client.sendCommand(false, args, { ...OPTIONS, abortSignal });
    } catch (error) {
      throw abortSignal.aborted && replyCode(error) === '' ? down('the connection broke', error) : error;
    }
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
    if (node.client?.isReady === true) known.add(node.address);
    else if (known.has(node.address)) {
      // The cluster client drops a node's connection for good sometimes, and makes a new one only when it is asked for it.
      if (node.client === undefined) void client.nodeClient(node).catch(() => undefined);
      throw down(`${node.address} is gone`);
    }
  };
  const send = async (args: readonly string[], key?: string): Promise<unknown> => {
    assertUp(key === undefined ? undefined : client.slots[slotOf(key)]?.master);
    // Left to itself, the cluster client sends a command without a key to any node, a dead one included.
    const anyNode = key === undefined ? client.masters.find((node) => node.client?.isReady === true) : undefined;
    return anyNode?.client?.sendCommand(args, OPTIONS) ?? client.sendCommand(key, false, args, OPTIONS);
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
          return (await client.nodeClient(node)).sendCommand(args, OPTIONS);
        }),
      );
    },
    nodeOf: (slot) => client.slots[slot]?.master.address,
    knows: () => true,
    // A demoted node answers MOVED, and the client follows.
    reconnect: () => undefined,
  };
}
