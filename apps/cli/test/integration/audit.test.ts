import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startMemcached } from '@weir/testkit/memcached';
import { redisPipeline, startClusterRedis, startRedis, type RedisServer } from '@weir/testkit/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWeir, weir, type Ran } from '../support/running.ts';

const DAY_MS = 86_400_000;

let server: RedisServer;
let folder: string;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(async () => {
  await server.stop();
});

beforeEach(async () => {
  await server.command('FLUSHALL');
  folder = await mkdtemp(join(tmpdir(), 'weir-audit-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Counters of the ninth day before today, without a deadline. */
async function plant(count: number): Promise<void> {
  const day = new Date(Date.now() - 9 * DAY_MS).toISOString().slice(0, 10);
  const commands = Array.from({ length: count }, (_, n) => ['SET', `quota:u${n}:${day}`, '5']);
  await redisPipeline(server.port, commands);
}

async function undated(): Promise<number> {
  const [, keys = 0, expires = 0] =
    /keys=(\d+),expires=(\d+)/.exec(String(await server.command('INFO', 'keyspace'))) ?? [];
  return Number(keys) - Number(expires);
}

function parsed({ out }: Ran): Record<string, unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output
  return JSON.parse(out) as Record<string, unknown>;
}

/** Waits until the journal holds a file that fits. */
async function journalHolds(file: string, text: string): Promise<void> {
  const path = join(folder, file);
  while (!existsSync(path) || !(await readFile(path, 'utf8')).includes(text)) await wait(10);
}

describe('weir audit', () => {
  it('ends with 0 when nothing is found, 1 with findings, 2 when it could not run', async () => {
    await server.command('SET', 'rlflx:u1', '1', 'EX', '60');
    expect((await weir('audit', server.url)).code).toBe(0);
    await server.command('SET', 'rlflx:u2', '1');
    const found = await weir('audit', server.url);
    expect(found.code).toBe(1);
    expect(found.out).toMatch(/^undated +1 /m);
    expect((await weir('audit', 'redis://127.0.0.1:1')).code).toBe(2);
    expect((await weir('audit', server.url, '--fix', 'all')).code).toBe(2);
    expect((await weir('audit', server.url, '--zone', 'Mars/Olympus')).code).toBe(2);
  });

  it('prints one JSON object, errors too, and never a password', async () => {
    await server.command('SET', 'rlflx:u2', '1');
    const found = await weir('audit', server.url, '--json');
    expect(parsed(found)).toMatchObject({ kind: 'redis', findings: { undated: { keys: 1 } } });
    expect(found.err).toBe('');
    const failed = await weir('audit', 'redis://u:secret@127.0.0.1:1', '--json');
    expect(parsed(failed)).toMatchObject({ error: { code: 'cannot-connect' } });
    expect(failed.out).not.toContain('secret');
  });

  it('changes nothing without --fix, and nothing without a yes', async () => {
    await plant(20);
    await weir('audit', server.url);
    const refused = await weir('audit', server.url, '--fix', 'delete', '--journal', folder);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('nothing was changed');
    expect(await server.command('DBSIZE')).toBe(20);
  });

  it('goes on with the plan that was shown, when it is run again with --yes', async () => {
    await plant(20);
    await weir('audit', server.url, '--fix', 'date', '--journal', folder);
    const repaired = await weir('audit', server.url, '--fix', 'date', '--journal', folder, '--yes');
    expect(repaired.err).toContain('Continuing with the plan');
    expect(repaired.code).toBe(0);
    expect(await undated()).toBe(0);
    expect((await weir('audit', server.url)).code).toBe(0);
  });

  it('repairs what the user claims, with the lifetime given', async () => {
    await redisPipeline(server.port, [
      ['SET', 'n/1', '5'],
      ['SET', 'n/2', '6'],
      ['SET', 'm/1', '5'],
    ]);
    expect((await weir('audit', server.url)).code).toBe(0);
    const claim = ['--counters', 'n/*', '--fix', 'date', '--yes', '--journal', folder];
    const short = await weir('audit', server.url, ...claim);
    expect(short.code).toBe(1);
    expect(short.out).toContain('--lifetime');
    expect((await weir('audit', server.url, ...claim, '--lifetime', '1h', '--json')).code).toBe(0);
    expect(await undated()).toBe(1);
  });

  it('killed while it lists and killed while it repairs, it is finished by running it again', async () => {
    await plant(9_000);
    const slowly = ['audit', server.url, '--fix', 'date', '--yes', '--journal', folder, '--rate', '2000', '--json'];
    const first = startWeir(...slowly);
    await journalHolds('listing.json', '"phase":"listing"');
    first.signal('SIGKILL');
    expect((await first.done).code).toBe(-1);
    expect(await undated()).toBe(9_000);

    const quickly = slowly.map((word) => (word === '2000' ? '100000' : word));
    const listed = await weir(...quickly.filter((word) => word !== '--yes' && word !== '--json'));
    expect(listed.err).toContain('Continuing the interrupted audit.');
    expect(listed.err).toContain('9,000 keys listed.');

    const second = startWeir(...slowly);
    await journalHolds('repair.json', '"mode":"date"');
    second.signal('SIGKILL');
    expect((await second.done).code).toBe(-1);
    const left = await undated();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(9_000);

    const last = await weir(...quickly);
    expect(last.code).toBe(0);
    expect(await undated()).toBe(0);
    expect(await server.command('DBSIZE')).toBe(9_000);
  });

  it('asked to end, it stops where it can be continued and says so', async () => {
    await plant(5_000);
    const running = startWeir('audit', server.url, '--fix', 'date', '--yes', '--journal', folder, '--rate', '500');
    await journalHolds('listing.json', '"phase":"listing"');
    running.signal('SIGINT');
    const { code, err } = await running.done;
    expect(code).toBe(2);
    expect(err).toContain('Run the same command again');
    expect(await undated()).toBe(5_000);
  });

  it('audits memcached and every primary of a cluster by one address', async () => {
    const memcached = await startMemcached();
    const cluster = await startClusterRedis();
    try {
      await memcached.exchange('set rlflx:u1 0 0 1\r\n5\r\n');
      const url = `memcached://${memcached.address}`;
      expect(parsed(await weir('audit', url, '--json'))).toMatchObject({ kind: 'memcached', findings: { keys: 1 } });
      for (let n = 0; n < 30; n += 1) await (await cluster.nodeOf(`rlflx:u${n}`)).command('SET', `rlflx:u${n}`, '5');
      const address = cluster.nodes[1]?.url ?? '';
      expect(parsed(await weir('audit', address, '--json'))).toMatchObject({ findings: { undated: { keys: 30 } } });
    } finally {
      await cluster.stop();
      await memcached.stop();
    }
  });
});
