import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { deadlineAt } from '@weir/quota';
import type { Draw } from '@weir/quota';
import { startClusterRedis, startRedis, startSentinelRedis } from '@weir/testkit/redis';
import type { ClusterRedis, RedisServer } from '@weir/testkit/redis';
import { Redis } from 'ioredis';
import { createClient, createClientPool } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisStore } from '../../src/index.ts';
import type { Connected } from '../support/harness.ts';
import { clientNames, connectCluster, connectSentinel } from '../support/harness.ts';
import { eventually, failureOf } from '../support/waiting.ts';
import { takeOne } from '../support/take-one.ts';

// A server that dies closes its half of the connection first. From then until the client closes its own, which is a turn of
// the event loop later, the client takes itself for connected and can write nothing. It keeps what it is given in that moment
// for the next connection, which a dead server never accepts.

let server: RedisServer;
let cluster: ClusterRedis;

beforeAll(async () => {
  server = await startRedis();
  cluster = await startClusterRedis();
  await Promise.all(cluster.nodes.map((node) => node.command('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')));
});

afterAll(() => Promise.all([server.stop(), cluster.stop()]));

const deadline = deadlineAt(Date.now() + 3_600_000, Date.now());

function draw(key: string): Draw {
  return { key, amount: 1, unit: 1, limit: 1_000_000, deadline };
}

/** Collects the sockets that this process opens while `open` runs. */
async function socketsOf<T>(open: () => Promise<T>): Promise<{ opened: T; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const note = (message: unknown): void => {
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- documented as the message of this channel
    sockets.push((message as { socket: Socket }).socket);
  };
  subscribe('net.client.socket', note);
  try {
    return { opened: await open(), sockets };
  } finally {
    unsubscribe('net.client.socket', note);
  }
}

/** Runs a call when the other side of the socket has ended its half, before the client has noticed. */
async function whenHalfClosed<T>(socket: Socket, call: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    socket.prependOnceListener('end', () => void call().then(resolve, reject));
  });
}

/** Clients with their own settings: how long each waits before it connects again, and whether it gives up, is its own. */
const clients: Record<string, (port: number) => Promise<Connected>> = {
  'node-redis': async (port) => {
    const client = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: 50 } });
    client.on('error', () => undefined);
    await client.connect();
    return { client, end: () => client.destroy() };
  },
  'node-redis pool': async (port) => {
    const client = createClientPool({ socket: { port, host: '127.0.0.1', reconnectStrategy: 50 } }, { maximum: 1 });
    client.on('error', () => undefined);
    await client.connect();
    return { client, end: () => client.destroy() };
  },
  ioredis: async (port) => {
    const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null, retryStrategy: () => 50 });
    client.on('error', () => undefined);
    await client.ping();
    return { client, end: () => client.disconnect() };
  },
};

test.each(Object.keys(clients))(
  'over %s a take that comes while the connection ends fails at once and is not sent later',
  async (name) => {
    const open = clients[name];
    if (open === undefined) throw new Error(`no client named ${name}`);
    const { opened, sockets } = await socketsOf(() => open(server.port));
    const [socket] = sockets;
    if (socket === undefined) throw new Error('the client opened no connection');
    const store = new RedisStore({ client: opened.client });
    await takeOne(store, draw('charged'));
    const taken = whenHalfClosed(socket, () => failureOf(() => takeOne(store, draw('charged'))));
    await server.kill();
    // Nothing listens there now: whatever waits for the next connection is still waiting.
    expect(await taken).toMatchObject({ code: 'store-unavailable' });
    await server.restart();
    await eventually(() => takeOne(store, draw('other')));
    expect(await store.read(['charged'])).toEqual([undefined]);
    opened.end();
  },
);

test.each(clientNames)(
  'over a cluster client of %s a take that comes while a node ends fails at once',
  async (name) => {
    const keys = Array.from({ length: 60 }, (_, index) => `${name}-{${index}}`);
    const { opened, sockets } = await socketsOf(async () => {
      const { client, end } = await connectCluster(name, cluster);
      const store = new RedisStore({ client });
      await store.take(keys.map(draw));
      return { store, end };
    });
    const [victim] = cluster.nodes;
    if (victim === undefined) throw new Error('no node');
    let ofVictim = '';
    for (const key of keys) if ((await cluster.nodeOf(key)) === victim) ofVictim = key;
    const taken = sockets
      .filter((socket) => socket.remotePort === victim.port && !socket.destroyed)
      .map((socket) => whenHalfClosed(socket, () => failureOf(() => takeOne(opened.store, draw(ofVictim)))));
    expect(taken.length).toBeGreaterThan(0);
    await victim.kill();
    for (const failure of await Promise.all(taken)) expect(failure).toMatchObject({ code: 'store-unavailable' });
    await victim.restart();
    await eventually(() => takeOne(opened.store, draw(ofVictim)));
    opened.end();
  },
);

test.each(clientNames)(
  'over a Sentinel client of %s a take that comes while the primary ends fails, and is not sent to the next one',
  async (name) => {
    const group = await startSentinelRedis();
    const { opened, sockets } = await socketsOf(async () => {
      const connected = await connectSentinel(name, group);
      await takeOne(new RedisStore({ client: connected.client }), draw('charged'));
      return connected;
    });
    try {
      const store = new RedisStore({ client: opened.client });
      await takeOne(store, draw('charged'));
      await eventually(async () => {
        if ((await group.replica.command('GET', 'charged')) !== '2') throw new Error('not yet replicated');
      });
      const taken = sockets
        .filter((socket) => socket.remotePort === group.primary.port && !socket.destroyed)
        .map((socket) => whenHalfClosed(socket, () => failureOf(() => takeOne(store, draw('charged')))));
      expect(taken.length).toBeGreaterThan(0);
      await group.primary.kill();
      // Two Sentinels may vote for each other, and try again much later.
      await eventually(async () => {
        if ((await group.primaryPort()) !== group.primary.port) return;
        await failureOf(async () => group.sentinels[0]?.command('SENTINEL', 'FAILOVER', group.name));
        throw new Error('still the dead one');
      });
      // Of node-redis it fails when the Sentinels have named another primary: the client keeps it until then.
      for (const failure of await Promise.all(taken)) expect(failure).toMatchObject({ code: 'store-unavailable' });
      await eventually(() => takeOne(store, draw('other')));
      expect(await eventually(() => store.read(['charged']))).toEqual([2]);
    } finally {
      opened.end();
      await group.stop();
    }
  },
);
