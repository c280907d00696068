import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { backUp, restoreBackup, startConsole, type RunningConsole } from '../../src/index.ts';
import { GuardedPool } from '../../src/storage/postgres/guarded-pool.ts';
import { whileUnused } from '../../src/storage/postgres/unused-database.ts';
import { FakeProbe } from '../support/fake-probe.ts';
import { Group, until } from '../support/group-of-consoles.ts';

let group: Group;
let dir: string;
beforeAll(async () => {
  group = await Group.start();
  dir = await mkdtemp(join(tmpdir(), 'weir-beside-'));
});
afterAll(async () => {
  await group.stop();
  await rm(dir, { recursive: true });
});

let databases = 0;
let storageUrl: string;
let dataDir: string;
let file: string;
let alone: RunningConsole;
beforeEach(async () => {
  databases += 1;
  storageUrl = await group.postgres.createDatabase(`weir_${databases}`);
  dataDir = join(dir, `data-${databases}`);
  file = join(dir, `keys-${databases}.tar`);
  alone = await start();
  await backUp({ dataDir, storageUrl, file });
});

const start = (options: { redisUrl?: string } = {}): Promise<RunningConsole> =>
  startConsole({ dataDir, storageUrl, port: 0, logLevel: 'silent', ...options }, { endpointProbe: new FakeProbe() });

const contents = async (): Promise<string[]> =>
  Promise.all(
    (await readdir(dataDir)).toSorted().map(async (name) => `${name} ${await readFile(join(dataDir, name), 'utf8')}`),
  );

test('keys are not replaced while a console uses the database, elsewhere too; once it has ended they are', async () => {
  const before = await contents();
  const elsewhere = join(dir, 'elsewhere');
  await restoreBackup({ file, dataDir: elsewhere });
  for (const folder of [dataDir, elsewhere]) {
    const refusal = restoreBackup({ file, dataDir: folder, replace: true, storageUrl });
    await expect(refusal).rejects.toThrow(
      /consoles use the database .*\/weir_1: \d+ connections? from 127\.0\.0\.1 since 20.*Stop all consoles/,
    );
  }
  expect(await contents()).toEqual(before);
  await alone.stop();
  const { movedAside, notSeen } = await restoreBackup({ file, dataDir, replace: true, storageUrl });
  expect(movedAside).toEqual(['secrets.json.before-restore', 'manifest-key.pem.before-restore']);
  expect(notSeen).toBeNull();
  await (await start()).stop();
});

test('however long nothing is asked, a console keeps one connection by which it is seen', async () => {
  await alone.stop();
  const pool = new GuardedPool(storageUrl, { nowMs: () => 0, outageChanged: () => undefined, idleMs: 20 });
  const connected = await Promise.all([1, 2, 3].map(() => pool.connect()));
  for (const client of connected) client.release();
  const seen = async (): Promise<string> => whileUnused(storageUrl, async () => 'nobody').catch(String);
  await until('the others are gone', async () => (await seen()).includes('1 connection from'));
  await wait(200);
  expect(await seen()).toContain('1 connection from');
  await pool.end();
  expect(await seen()).toBe('nobody');
});

test('Redis tells of the consoles of a group that use another database than the one that was named', async () => {
  await alone.stop();
  const { redisUrl } = group;
  const console = await start({ redisUrl });
  await until('it leads, and Redis tells its term', async () => (await lease()).includes('"fence":1'));
  const mistyped = await group.postgres.createDatabase('mistyped');
  const options = { file, dataDir, replace: true, storageUrl: mistyped, redisUrl };
  await expect(restoreBackup(options)).rejects.toThrow(
    new RegExp(
      `consoles of this group run, says Redis \\(.*\\): ${console.url}, which leads \\(term 1\\)\\. Stop all of them`,
    ),
  );
  await console.stop();
  expect((await restoreBackup(options)).notSeen).toBeNull();
  const { notSeen } = await restoreBackup({ ...options, redisUrl: 'redis://127.0.0.1:1' });
  expect(notSeen).toContain('Redis (127.0.0.1:1) could not be asked whether consoles run: Redis is away.');
});

test('without the address of the database the keys of one are not replaced', async () => {
  await alone.stop();
  const before = await contents();
  await expect(restoreBackup({ file, dataDir, replace: true })).rejects.toThrow(
    'name it with storageUrl (--storage-url, WEIR_STORAGE_URL)',
  );
  const away = restoreBackup({ file, dataDir, replace: true, storageUrl: 'postgres://weir@127.0.0.1:1/weir' });
  await expect(away).rejects.toThrow(/cannot be seen: .*ECONNREFUSED.*move the files/);
  expect(await contents()).toEqual(before);
  // One that was dropped is used by nobody.
  const dropped = storageUrl.replace(/weir_\d+$/, 'dropped');
  expect((await restoreBackup({ file, dataDir, replace: true, storageUrl: dropped })).files).toHaveLength(2);
});

test('a console that starts in the middle of it waits, and begins with the keys that were restored', async () => {
  await alone.stop();
  const other = join(dir, `other-${databases}`);
  await (
    await startConsole({ dataDir: other, port: 0, logLevel: 'silent' }, { endpointProbe: new FakeProbe() })
  ).stop();
  let starting: Promise<string> | undefined;
  await whileUnused(storageUrl, async () => {
    starting = start().then(({ url }) => url, String);
    await until('it waits for the lock', waits);
    await copyFile(join(other, 'secrets.json'), join(dataDir, 'secrets.json'));
  });
  // They do not belong to the database as it still is: what it had read before would have.
  expect(await starting).toContain('does not belong to this database');
});

/** What the lease of the group tells. */
async function lease(): Promise<string> {
  const keys = await group.redis.command('KEYS', '*:leader');
  return String(await group.redis.command('GET', Array.isArray(keys) ? String(keys[0]) : 'none'));
}

async function waits(): Promise<boolean> {
  const asked = "select count(*) from pg_locks where locktype = 'advisory' and not granted";
  return Number(await group.postgres.program('psql', '-d', `weir_${databases}`, '-qtAc', asked)) === 1;
}

test('a console that is just starting, and holds the database, is seen too', async () => {
  await alone.stop();
  const client = new Client({ connectionString: storageUrl, application_name: 'weir' });
  await client.connect();
  await expect(whileUnused(storageUrl, async () => 'replaced')).rejects.toThrow('1 connection from 127.0.0.1');
  await client.query('select pg_advisory_lock($1)', [0x57_65_69_72]);
  await expect(whileUnused(storageUrl, async () => 'replaced')).rejects.toThrow(
    'a console is starting on the database',
  );
  const ended = once(client, 'end');
  await client.end();
  await ended;
  expect(await whileUnused(storageUrl, async () => 'replaced')).toBe('replaced');
});
