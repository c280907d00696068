import type { Harness } from '@weir/quota-conformance';
import type { Store } from '@weir/quota';
import { startFaultProxy } from '../../../testkit/src/network/fault-proxy.ts';
import type { FaultProxy } from '../../../testkit/src/network/fault-proxy.ts';
import { startRedis } from '../../../testkit/src/redis/server.ts';
import type { RedisServer } from '../../../testkit/src/redis/server.ts';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { RedisStore } from '../../src/index.ts';
import type { RedisStoreOptions } from '../../src/index.ts';

/** Longest silence that the clients under test accept, in ms; a half-open connection is noticed after it. */
export const SILENCE_MS = 700;

export type ClientName = 'node-redis' | 'ioredis';

/** A connected client of each kind, as an application would make it, and how to end it. */
export async function connectClient(
  name: ClientName,
  port: number,
): Promise<{ client: RedisStoreOptions['client']; end: () => void }> {
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

/** The server's own view of a deadline. */
export async function deadlineOf(server: RedisServer, key: string): Promise<number | 'undated' | 'absent'> {
  const deadline = Number(await server.command('PEXPIRETIME', key));
  if (deadline === -2) return 'absent';
  return deadline === -1 ? 'undated' : deadline;
}

/** A server behind a fault proxy, for one test of the conformance suite. */
export async function redisHarness(
  name: ClientName,
  options: { fastPath?: boolean; server?: RedisServer } = {},
): Promise<Harness> {
  const server = options.server ?? (await startRedis());
  const proxy = await startFaultProxy({ port: server.port });
  const ends: (() => void)[] = [];
  const open = async (): Promise<Store> => {
    const { client, end } = await connectClient(name, proxy.port);
    ends.push(end);
    return new RedisStore({ client, fastPath: options.fastPath ?? false });
  };
  return {
    open,
    deadlineOf: (key) => deadlineOf(server, key),
    plantUndated: async (key, total) => void (await server.command('SET', key, String(total))),
    faults: faults(server, proxy),
    close: async () => {
      for (const end of ends) end();
      await proxy.close();
      if (options.server === undefined) await server.stop();
    },
  };
}

function faults(server: RedisServer, proxy: FaultProxy): Harness['faults'] {
  const under = async (mode: Parameters<FaultProxy['setMode']>[0], during: () => Promise<unknown>): Promise<void> => {
    proxy.setMode(mode);
    try {
      await during();
    } finally {
      proxy.setMode('pass');
    }
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
      try {
        await during();
      } finally {
        await server.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
      }
    },
  };
}
