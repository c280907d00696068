import { MemcachedClient } from '@weir/quota-memcached';
import { startMemcached, type MemcachedServer } from '@weir/testkit/memcached';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { memcachedAuditedStore, type AuditedStore } from '../../src/index.ts';
import { auditOf, repairOf } from '../support/auditing.ts';
import { loadMemcached } from '../support/loading.ts';
import { population, type Planted } from '../support/population.ts';

const DAY_MS = 86_400_000;

let servers: MemcachedServer[];
let client: MemcachedClient;
let store: AuditedStore;

beforeAll(async () => {
  servers = await Promise.all([startMemcached({ memoryMegabytes: 256 }), startMemcached()]);
  client = new MemcachedClient({ servers: servers.map(({ address }) => address), callTimeoutMs: 20_000 });
  store = memcachedAuditedStore(client);
});

afterAll(async () => {
  client.close();
  await Promise.all(servers.map((server) => server.stop()));
});

beforeEach(async () => {
  await Promise.all(servers.map((server) => server.restart()));
});

async function load(keys: Iterable<Planted>): Promise<void> {
  const [first] = servers;
  if (first !== undefined) await loadMemcached(first, keys, Date.now());
}

function isoDay(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

/** Deadlines in seconds by key; -1: none. */
async function deadlines(): Promise<Map<string, number>> {
  const all = await Promise.all(servers.map((server) => server.entries()));
  return new Map(all.flat().map(({ key, expiresAtSeconds }) => [key, expiresAtSeconds]));
}

/** Reads and touches so far. */
async function hits(): Promise<number> {
  const stats = await client.servers[0]?.stats();
  return Number(stats?.get('cmd_get')) + Number(stats?.get('cmd_touch'));
}

/** A home-made counter of the ninth day before today. */
function keyOf(name: string): string {
  return `quota:${name}:${isoDay(9)}`;
}

describe('an audit of memcached', () => {
  it('finds all of 100,000 keys of ten families that are undated or of ended periods, and names nothing else', async () => {
    const mix = { total: 100_000, undated: 1_000, ended: 5_000, others: 6_000 };
    const keys = [...population(mix, Date.now(), 1)];
    await load(keys);
    const report = await auditOf(store);
    const endedUndated = keys.filter(({ truth, lifeMs }) => truth === 'ended' && lifeMs === undefined).length;
    expect(report.keys.listed).toBe(mix.total);
    expect(report.keys.counters).toBe(mix.total - mix.others);
    expect(report.findings).toMatchObject({
      keys: mix.undated + mix.ended,
      undated: { keys: mix.undated + endedUndated },
      ended: { keys: mix.ended },
    });
    expect(report.families).toHaveLength(10);
  });

  it('repairs exactly what it listed, on every server, and keeps the counts', async () => {
    const mix = { total: 5_000, undated: 500, ended: 500, others: 500 };
    const keys = [...population(mix, Date.now(), 2)];
    await load(keys);
    await servers[1]?.exchange('set rlflx:other 0 0 1 noreply\r\n4\r\n');
    const before = await deadlines();
    const { counts } = await repairOf(store, { mode: 'date' });
    // The lonely one has no siblings, but its family has on the other server. Ids that could be times were listed, and are not believed.
    expect(counts).toMatchObject({ done: 1_001, kept: 0, gone: 0, changed: 0, failed: 0 });
    expect(Object.keys(counts.spared)).toEqual(['not-believed']);
    const after = await deadlines();
    const [first] = client.servers;
    for (const { key, value, truth } of keys) {
      const repaired = truth === 'undated' || truth === 'ended';
      expect(after.get(key) !== before.get(key)).toBe(repaired);
      expect((await first?.mg(key))?.latin1).toBe(value);
    }
    expect((await auditOf(store)).findings.keys).toBe(0);
  });

  it('deletes counters of ended periods only, and only as they were found', async () => {
    const names = ['dated', 'counted', 'text', 'gone', 'same'];
    await load([
      ...names.map((name) => ({ key: keyOf(name), value: '5', lifeMs: undefined, truth: 'ended' as const })),
      { key: 'rlflx:u', value: '5', lifeMs: undefined, truth: 'undated' },
    ]);
    const { counts } = await repairOf(store, { mode: 'delete' }, async () => {
      const [first] = servers;
      await first?.exchange(`touch ${keyOf('dated')} 100\r\n`);
      await first?.exchange(`incr ${keyOf('counted')} 1\r\n`);
      await first?.exchange(`set ${keyOf('text')} 0 0 1\r\nx\r\n`);
      await first?.exchange(`delete ${keyOf('gone')}\r\n`);
    });
    expect(counts).toEqual({ done: 1, kept: 1, gone: 1, changed: 2, failed: 0, spared: { 'not-ended': 1 } });
    expect([...(await deadlines()).keys()].sort()).toEqual(
      [...['dated', 'counted', 'text'].map(keyOf), 'rlflx:u'].sort(),
    );
  });

  it('dates binary keys, negative numbers and numbers that were lowered', async () => {
    const [first] = servers;
    await first?.exchange(`ms ${Buffer.from('rlflx:\u00ff ü').toString('base64')} 1 b T0\r\n1\r\n`);
    await first?.exchange('set rlflx:negative 0 0 2\r\n-1\r\n');
    // memcached leaves a space behind a number that became shorter.
    await first?.exchange('set rlflx:lowered 0 0 2\r\n10\r\ndecr rlflx:lowered 1\r\n');
    const report = await auditOf(store);
    expect(report.findings).toMatchObject({ undated: { keys: 3 }, negative: 1 });
    const { counts } = await repairOf(store, { mode: 'date', lifetimeMs: 60_000 });
    expect(counts.done).toBe(3);
    // What has a good deadline is not read, and arithmetic of memcached never goes below zero.
    expect((await auditOf(store)).findings).toMatchObject({ undated: { keys: 0 }, negative: 0 });
  });

  it('does not touch entries without findings, so that none of them looks younger', async () => {
    await load(population({ total: 200, undated: 0, ended: 0, others: 50 }, Date.now(), 3));
    const before = await hits();
    await auditOf(store);
    expect(await hits()).toBe(before);
  });
});
