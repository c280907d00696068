import { QuotaError } from '@weir/quota';
import { Cluster, Redis } from 'ioredis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { expect, test } from 'vitest';
import { redisCommands } from '../../src/clients/recognise.ts';
import { recordingCommands } from '../support/recording-commands.ts';

const address = { host: '127.0.0.1', port: 1 };

test('every kind of client of both libraries is recognised without a connection', () => {
  const clients = {
    redis: new Redis({ ...address, lazyConnect: true }),
    cluster: new Cluster([address], { lazyConnect: true }),
    client: createClient(),
    pool: createClientPool(),
    nodes: createCluster({ rootNodes: [{ socket: address }] }),
    sentinel: createSentinel({ name: 'x', sentinelRootNodes: [address] }),
  };
  const found = Object.entries(clients).map(([name, client]) => {
    const { client: library, isCluster } = redisCommands(client);
    return `${name}: ${library}${isCluster ? ' cluster' : ''}`;
  });
  expect(found).toEqual([
    'redis: ioredis',
    'cluster: ioredis cluster',
    'client: node-redis',
    'pool: node-redis',
    'nodes: node-redis cluster',
    'sentinel: node-redis',
  ]);
});

test('a port of one’s own is taken as it is, and anything else is refused', () => {
  const own = recordingCommands(() => null);
  expect(redisCommands(own)).toBe(own);
  // @ts-expect-error -- no client at all
  expect(() => redisCommands({ get: () => null })).toThrow(QuotaError);
});

test('ioredis says which commands it can route', () => {
  const commands = redisCommands(new Redis({ ...address, lazyConnect: true }));
  expect(commands.knows('INCREX')).toBe(true);
  expect(commands.knows('NOSUCHCOMMAND')).toBe(false);
});

test('clients that are closed or lost their server are not asked', async () => {
  const ended = new Redis({ ...address, lazyConnect: true });
  ended.disconnect();
  await expect(redisCommands(ended).send(['GET', 'a'], 'a')).rejects.toMatchObject({ code: 'store-unavailable' });
  await expect(redisCommands(createClient()).send(['GET', 'a'], 'a')).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  const sentinel = createSentinel({ name: 'x', sentinelRootNodes: [address] });
  await expect(redisCommands(sentinel).send(['GET', 'a'], 'a')).rejects.toMatchObject({ code: 'store-unavailable' });
  const cluster = createCluster({ rootNodes: [{ socket: address }] });
  await expect(redisCommands(cluster).send(['GET', 'a'], 'a')).rejects.toMatchObject({ code: 'store-unavailable' });
});
