import { redisPipeline, startClusterRedis, startRedis, type RedisServer, type RespValue } from '@weir/testkit/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redisAuditedStore, type AuditedStore, type RedisNode } from '../../src/index.ts';
import { auditOf, repairOf } from '../support/auditing.ts';
import { loadRedis, openNode } from '../support/loading.ts';
import { population, type Planted } from '../support/population.ts';

const DAY_MS = 86_400_000;
const MIX = { total: 200_000, undated: 2_000, ended: 10_000, others: 12_000 };

let server: RedisServer;
let node: RedisNode;
let end: () => void;
let store: AuditedStore;

beforeAll(async () => {
  server = await startRedis();
  ({ node, end } = await openNode(server.port));
  store = redisAuditedStore([node]);
});

afterAll(async () => {
  end();
  await server.stop();
});

beforeEach(async () => {
  await server.command('FLUSHALL');
});

function isoDay(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

function repliesOf(keys: readonly Planted[], command: string): Promise<RespValue[]> {
  return redisPipeline(
    server.port,
    keys.map(({ key }) => [command, key]),
  );
}

/** A home-made counter of the ninth day before today. */
function keyOf(name: string): string {
  return `quota:${name}:${isoDay(9)}`;
}

describe('an audit of Redis', () => {
  it('finds all of 200,000 keys of ten families that are undated or of ended periods, and names nothing else', async () => {
    const nowMs = Date.now();
    await loadRedis(server, population(MIX, nowMs, 1));
    const report = await auditOf(store);
    const keys = [...population(MIX, nowMs, 1)];
    const endedUndated = keys.filter(({ truth, lifeMs }) => truth === 'ended' && lifeMs === undefined).length;
    expect(report.keys.listed).toBe(MIX.total);
    expect(report.keys.counters).toBe(MIX.total - MIX.others);
    expect(report.findings).toMatchObject({
      keys: MIX.undated + MIX.ended,
      undated: { keys: MIX.undated + endedUndated },
      ended: { keys: MIX.ended },
      tooLong: 0,
      negative: 0,
      notNumbers: 0,
    });
    expect(report.families).toHaveLength(10);
    // 6,000 of them are undated and lie evenly on 89 days.
    expect(report.growth.days).toBe(30);
    expect(report.growth.keysPerDay).toBeGreaterThan(0.9 * (endedUndated / 89));
    expect(report.growth.keysPerDay).toBeLessThan(1.1 * (endedUndated / 89));
    expect(report.waste.bytes / report.waste.keys).toBeGreaterThan(50);
    expect(report.waste.bytes / report.waste.keys).toBeLessThan(200);
  });

  it('repairs exactly what it listed: by date, then nothing is found', async () => {
    const mix = { total: 20_000, undated: 1_000, ended: 2_000, others: 2_000 };
    const keys = [...population(mix, Date.now(), 2)];
    await loadRedis(server, keys);
    const before = await repliesOf(keys, 'PEXPIRETIME');
    const { counts } = await repairOf(store, { mode: 'date' });
    expect(counts).toEqual({ done: 3_000, kept: 0, gone: 0, changed: 0, failed: 0, spared: {} });
    const after = await repliesOf(keys, 'PEXPIRETIME');
    const values = await repliesOf(keys, 'GET');
    for (const [index, { value, truth }] of keys.entries()) {
      expect(values[index]).toBe(value);
      const repaired = truth === 'undated' || truth === 'ended';
      expect(after[index] !== before[index]).toBe(repaired);
    }
    expect((await auditOf(store)).findings.keys).toBe(0);
  });

  it('repairs exactly what it listed: by deletion only counters of ended periods go', async () => {
    const mix = { total: 20_000, undated: 1_000, ended: 2_000, others: 2_000 };
    const keys = [...population(mix, Date.now(), 3)];
    await loadRedis(server, keys);
    const { counts } = await repairOf(store, { mode: 'delete' });
    expect(counts).toMatchObject({ done: 2_000, spared: { 'not-ended': 1_000 } });
    const there = await repliesOf(keys, 'EXISTS');
    expect(keys.filter((_, index) => there[index] === 0).map(({ truth }) => truth)).toEqual(
      Array.from({ length: 2_000 }, () => 'ended'),
    );
  });

  it('leaves alone at the moment of the write what is not any more what was found', async () => {
    const names = ['dated', 'counted', 'list', 'text', 'gone', 'same'];
    await loadRedis(
      server,
      names.map((name) => ({ key: keyOf(name), value: '5', lifeMs: undefined, truth: 'ended' })),
    );
    const { counts } = await repairOf(store, { mode: 'delete' }, () =>
      redisPipeline(server.port, [
        ['PEXPIRE', keyOf('dated'), '60000'],
        ['INCR', keyOf('counted')],
        ['DEL', keyOf('list')],
        ['RPUSH', keyOf('list'), '5'],
        ['SET', keyOf('text'), 'x'],
        ['DEL', keyOf('gone')],
      ]),
    );
    expect(counts).toEqual({ done: 1, kept: 1, gone: 1, changed: 3, failed: 0, spared: {} });
    expect(await server.command('EXISTS', ...names.map(keyOf))).toBe(4);
  });

  it('dates a counter that is counted while it is dated, without losing a count', async () => {
    await server.command('SET', 'rlflx:u1', '5');
    const lifetime = { mode: 'date', lifetimeMs: 60_000 } as const;
    await repairOf(store, lifetime, () => server.command('INCR', 'rlflx:u1'));
    expect(await server.command('GET', 'rlflx:u1')).toBe('6');
    expect(Number(await server.command('PTTL', 'rlflx:u1'))).toBeGreaterThan(50_000);
  });

  it('sends its scripts again after a script flush', async () => {
    const keys = [...population({ total: 500, undated: 500, ended: 0, others: 0 }, Date.now(), 4)];
    await loadRedis(server, keys);
    const { counts } = await repairOf(store, { mode: 'date', lifetimeMs: 60_000 }, () =>
      server.command('SCRIPT', 'FLUSH'),
    );
    expect(counts.done).toBe(500);
  });

  it('never names lists, hashes, sets, streams and texts, whatever they are called', async () => {
    await redisPipeline(server.port, [
      ['RPUSH', 'rlflx:list', '1'],
      ['HSET', 'rl:hash', 'a', '1'],
      ['SADD', 'throttle:set', '1'],
      ['ZADD', `quota:zset:${isoDay(9)}`, '1', 'a'],
      ['XADD', `quota:stream:${isoDay(9)}`, '*', 'a', '1'],
      ['SET', `quota:text:${isoDay(9)}`, 'seven'],
      ['SET', 'throttle:json', '{"hits":1}'],
      ['SET', 'sess:1', '{"user":1}'],
      ['SADD', 'namespace:{a},counters_of_limit:{}', 'x'],
    ]);
    const report = await auditOf(store);
    expect(report.keys).toMatchObject({ listed: 9, counters: 0 });
    expect(report.findings.keys).toBe(0);
  });

  it('reads and repairs keys of any bytes', async () => {
    const { node: raw, end: hangUp } = await openNode(server.port);
    const keys = ['rlflx:\xff\x00\xfe', `rlflx:${Buffer.from('ключ', 'utf8').toString('latin1')}`, 'rlflx:a\r\nb'];
    await Promise.all(raw.sendAll(keys.map((key) => ['SET', key, '1'])));
    const { counts, journal } = await repairOf(store, { mode: 'date', lifetimeMs: 60_000 });
    expect(counts.done).toBe(3);
    expect(journal.plan.map(({ key }) => key).sort()).toEqual([...keys].sort());
    const left = await Promise.all(raw.sendAll(keys.map((key) => ['PTTL', key])));
    for (const ms of left) expect(Number(ms)).toBeGreaterThan(0);
    hangUp();
  });

  it('says how the server failed when it does not let anything be changed', async () => {
    await server.command('SET', 'rlflx:u1', '5');
    const repaired = repairOf(store, { mode: 'date', lifetimeMs: 60_000 }, () =>
      server.command('CONFIG', 'SET', 'min-replicas-to-write', '1'),
    );
    await expect(repaired).rejects.toThrow(/NOREPLICAS/);
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
  });
});

describe('an audit of a replica and of a cluster', () => {
  it('reads from the replica and changes the primary', async () => {
    const replica = await startRedis({ config: { replicaof: `127.0.0.1 ${server.port}` } });
    const reader = await openNode(replica.port);
    try {
      await server.command('SET', 'rlflx:u1', '5');
      await server.command('WAIT', '1', '10000');
      await server.command('CONFIG', 'RESETSTAT');
      const counts = await repairOf(redisAuditedStore([node], { readers: [reader.node] }), {
        mode: 'date',
        lifetimeMs: 60_000,
      });
      expect(counts.counts.done).toBe(1);
      expect(String(await server.command('INFO', 'commandstats'))).not.toMatch(/cmdstat_(scan|dbsize|memory)/);
      expect(Number(await server.command('PTTL', 'rlflx:u1'))).toBeGreaterThan(0);
    } finally {
      reader.end();
      await replica.stop();
    }
  });

  it('covers every primary of a cluster', async () => {
    const cluster = await startClusterRedis();
    const open = await Promise.all(cluster.nodes.map(({ port }) => openNode(port)));
    try {
      // Each node takes the keys that are its own.
      for (let id = 0; id < 300; id += 1) {
        const set = await Promise.allSettled(cluster.nodes.map((each) => each.command('SET', `rlflx:u${id}`, '5')));
        expect(set.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      }
      const whole = redisAuditedStore(open.map((each) => each.node));
      expect((await auditOf(whole)).findings.undated.keys).toBe(300);
      expect((await repairOf(whole, { mode: 'date', lifetimeMs: 60_000 })).counts.done).toBe(300);
      expect((await auditOf(whole)).findings.keys).toBe(0);
    } finally {
      for (const each of open) each.end();
      await cluster.stop();
    }
  });
});
