import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { redisCommand, redisPipeline } from '../../src/redis/admin.ts';
import { startIncrexFront } from '../../src/redis/increx-server.ts';
import { RespError } from '../../src/redis/resp.ts';
import { startRedis } from '../../src/redis/server.ts';
import { startClusterRedis, startReplicatedRedis, startSentinelRedis } from '../../src/redis/topologies.ts';

test('a server answers once started, loses its data when killed, and leaves nothing behind when stopped', async () => {
  const server = await startRedis({ config: { maxmemory: '50mb', 'maxmemory-policy': 'volatile-ttl' } });
  expect(await server.command('SET', 'a', 'ä€😀')).toBe('OK');
  expect(await server.command('GET', 'a')).toBe('ä€😀');
  expect(await server.command('CONFIG', 'GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'volatile-ttl']);
  const replies = await redisPipeline(server.port, [
    ['INCR', 'a'],
    ['GET', 'none'],
    ['INCRBY', 'n', '3'],
  ]);
  expect(replies[0]).toBeInstanceOf(RespError);
  expect(replies.slice(1)).toEqual([null, 3]);

  const before = server.pid;
  await server.kill();
  expect(() => process.kill(before, 0)).toThrow(/ESRCH/);
  await expect(server.command('PING')).rejects.toThrow(/ECONNREFUSED/);
  await server.restart();
  expect(server.pid).not.toBe(before);
  expect(await server.command('GET', 'a')).toBeNull();

  const { folder, pid } = server;
  await server.stop();
  await server.stop();
  expect(existsSync(folder)).toBe(false);
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

test('a configuration that redis-server refuses is reported with its log', async () => {
  await expect(startRedis({ config: { 'no-such-directive': 'x' } })).rejects.toThrow(/no-such-directive/);
});

test('a replicated pair swaps its roles', async () => {
  const pair = await startReplicatedRedis();
  try {
    await pair.primary.command('SET', 'a', '1');
    await expect(pair.replica.command('SET', 'a', '2')).rejects.toThrow(/^READONLY/);
    await pair.swapRoles();
    expect(await pair.replica.command('SET', 'a', '2')).toBe('OK');
    await expect(pair.primary.command('SET', 'a', '3')).rejects.toThrow(/^READONLY/);
  } finally {
    await pair.stop();
  }
});

test('Sentinels name the primary and fail over on request', async () => {
  const group = await startSentinelRedis();
  try {
    expect(await group.primaryPort()).toBe(group.primary.port);
    await group.failover();
    expect(await group.primaryPort()).toBe(group.replica.port);
    expect(await group.replica.command('SET', 'a', '2')).toBe('OK');
  } finally {
    await group.stop();
  }
});

test('a cluster serves every slot, each key by the node that nodeOf names', async () => {
  const cluster = await startClusterRedis();
  try {
    for (const key of ['a', 'b', 'c', 'd', '{tag}x', '{tag}y']) {
      const node = await cluster.nodeOf(key);
      expect(await node.command('SET', key, '1')).toBe('OK');
    }
    expect(await cluster.nodeOf('{tag}x')).toBe(await cluster.nodeOf('{tag}y'));
  } finally {
    await cluster.stop();
  }
});

test('the INCREX front counts within bounds, dates once, and passes everything else through', async () => {
  const server = await startRedis();
  const front = await startIncrexFront(server);
  try {
    const at = String(Date.now() + 60_000);
    const run = (...words: string[]) => redisCommand(front.port, ...words);
    expect(await run('INCREX', 'a', 'BYINT', '7', 'UBOUND', '10', 'PXAT', at, 'ENX')).toEqual([7, 7]);
    expect(await run('INCREX', 'a', 'BYINT', '4', 'UBOUND', '10', 'EX', '900', 'ENX')).toEqual([7, 0]);
    expect(await run('INCREX', 'a', 'BYINT', '4', 'UBOUND', '10', 'SATURATE', 'EX', '900', 'ENX')).toEqual([10, 3]);
    expect(await run('PEXPIRETIME', 'a')).toBe(Number(at));
    await run('SET', 'b', '5');
    expect(await run('INCREX', 'b', 'PXAT', at, 'ENX')).toEqual([6, 1]);
    expect(await run('PEXPIRETIME', 'b')).toBe(Number(at));
    await expect(run('INCREX', 'a', 'ENX')).rejects.toThrow(/ENX flag requires/);
    expect(front.served).toBe(5);
    front.forget();
    await expect(run('INCREX', 'a')).rejects.toThrow(/unknown command/);
  } finally {
    await front.close();
    await server.stop();
  }
});
