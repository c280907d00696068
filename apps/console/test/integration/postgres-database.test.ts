import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Storage } from '../../src/ports/storage.ts';
import { openPostgres } from '../../src/storage/postgres/open-postgres.ts';
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations.ts';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

let databases = 0;
let database: string;
let url: string;
beforeEach(async () => {
  database = `weir_${(databases += 1)}`;
  url = await server.createDatabase(database);
});

const open = (): Promise<Storage> =>
  postgresStorage(url, { nowMs: () => performance.now(), outageChanged: () => undefined });
const ask = (sql: string): Promise<string> => server.program('psql', '-d', database, '-qtAc', sql);

const dump = async (): Promise<string> => {
  const lines = (await server.program('pg_dump', '-d', database)).split('\n');
  // Each dump has a word of its own.
  return lines.filter((line) => !/^\\(un)?restrict/.test(line)).join('\n');
};

/** Tries to open the database; says why it was refused, and whether it was left as it was. */
async function refusal(): Promise<{ message: string; untouched: boolean }> {
  const before = await dump();
  const message = await openPostgres(url).then(
    () => 'it was opened',
    (error: unknown) => String(error),
  );
  return { message, untouched: (await dump()) === before };
}

test('both engines have the same tables with the same columns', async () => {
  await openPostgres(url);
  const sqlite = await openDatabase(':memory:');
  const columns = sqlite
    .prepare<[], { name: string }>(
      `select t.name || '.' || c.name || case when c."notnull" or c.pk then '' else '?' end as name
       from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite%'`,
    )
    .all();
  sqlite.close();
  const found = await ask(
    `select table_name || '.' || column_name || case when is_nullable = 'YES' then '?' else '' end
     from information_schema.columns where table_schema = 'public' and table_name <> 'weir_database'`,
  );
  expect(found.trim().split('\n').toSorted()).toEqual(columns.map(({ name }) => name).toSorted());
});

test('both engines have the same indices', async () => {
  await openPostgres(url);
  const sqlite = await openDatabase(':memory:');
  const indices = sqlite
    .prepare<[], { name: string }>(`select name from sqlite_schema where type = 'index' and sql is not null`)
    .all();
  sqlite.close();
  const found = await ask(`select indexname from pg_indexes where schemaname = 'public' and indexdef like '% INDEX %'`);
  const made = found
    .trim()
    .split('\n')
    .filter((name) => !/_(pkey|key\d*)$/.test(name));
  expect(made.toSorted()).toEqual(indices.map(({ name }) => name).toSorted());
});

test('of consoles that start together on an empty database one migrates, and all of them work', async () => {
  const storages = await Promise.all([open(), open(), open(), open()]);
  await Promise.all(storages.map((storage, n) => storage.settings.saveState(`s${n}`, String(n))));
  expect(await ask('select count(*), max(version) from weir_database')).toBe(`1|${MIGRATIONS.length}\n`);
  await Promise.all(storages.map((storage) => storage.close()));
});

const addOne = (storage: Storage) =>
  storage.transaction(async (stores) => {
    await stores.settings.saveState('n', String(Number(await stores.settings.state('n')) + 1));
  });

test('what several consoles read and write back in transactions is added up without a loss', async () => {
  const storages = await Promise.all([open(), open(), open()]);
  await storages[0]?.settings.saveState('n', '0');
  await Promise.all(storages.flatMap((storage) => Array.from({ length: 25 }, () => addOne(storage))));
  expect(await storages[0]?.settings.state('n')).toBe('75');
  await Promise.all(storages.map((storage) => storage.close()));
});

test('an older database is brought forward, and its rows are kept', async () => {
  const storage = await open();
  await storage.settings.saveState('x', '1');
  await storage.close();
  await openPostgres(url, [...MIGRATIONS, 'alter table states add column note text;']);
  expect(await ask('select * from states')).toBe('x|1|\n');
});

test('a migration that fails changes nothing', async () => {
  await openPostgres(url);
  const broken = [...MIGRATIONS, 'create table half (x integer) strict; create table jobs (x integer) strict;'];
  await expect(openPostgres(url, broken)).rejects.toThrow('cannot be opened');
  expect(await ask(`select to_regclass('half') is null, version from weir_database`)).toBe(`t|${MIGRATIONS.length}\n`);
});

test('a database of a newer console is refused and left as it is', async () => {
  await openPostgres(url, [...MIGRATIONS, 'create table of_the_future (x integer) strict;']);
  expect(await refusal()).toEqual({
    message: expect.stringContaining(`has version ${MIGRATIONS.length + 1}, and this console knows versions up to`),
    untouched: true,
  });
});

test('a database of another program is refused and left as it is', async () => {
  await ask('create table notes (text text)');
  expect(await refusal()).toEqual({ message: expect.stringContaining('belongs to another program'), untouched: true });
});

test.each([
  ['a column', 'alter table shards drop column checkpoint', 'shards.checkpoint is missing'],
  ['a table', 'drop table states', 'states.json, states.name are missing'],
  ['its version', 'delete from weir_database', 'its version is missing'],
])('a database that lost %s is refused and left as it is', async (_, damage, said) => {
  await openPostgres(url);
  await ask(damage);
  expect(await refusal()).toEqual({ message: expect.stringContaining(said), untouched: true });
});

test('a database of an encoding that cannot hold every name is refused', async () => {
  await server.program('createdb', '--encoding=LATIN1', '--template=template0', `${database}_latin`);
  await expect(openPostgres(`${url}_latin`)).rejects.toThrow('has the encoding LATIN1');
});

test('a server that refuses the password, or that is not there, is named without the password', async () => {
  const { port } = server;
  for (const address of [
    `postgres://weir:hunter22@127.0.0.1:${port}/${database}`,
    'postgres://weir:hunter22@127.0.0.1:1/x',
  ]) {
    const error: unknown = await openPostgres(address).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'UnusableDatabase', message: expect.stringContaining('cannot be opened') });
    expect(String(error)).not.toContain('hunter22');
  }
});

test.each(['SQLite', 'PostgreSQL'])(
  '%s: a process that is killed in a transaction leaves nothing of it, and what was before',
  async (engine) => {
    const dir = await mkdtemp(join(tmpdir(), 'weir-killed-'));
    const address = engine === 'SQLite' ? join(dir, 'weir.db') : url;
    const script = fileURLToPath(new URL('../support/write-and-die.ts', import.meta.url));
    const killed = spawnSync(process.execPath, ['--import', 'tsx', '--conditions=@weir/source', script, address], {
      encoding: 'utf8',
      cwd: import.meta.dirname,
    });
    expect(killed).toMatchObject({ stderr: '', signal: 'SIGKILL' });
    const storage = engine === 'SQLite' ? await sqliteStorage(address) : await open();
    expect(await storage.settings.state('before')).toBe('"kept"');
    expect(await storage.settings.state('half')).toBeUndefined();
    // Nothing of the dead process is in the way.
    await storage.transaction((stores) => stores.settings.saveState('half', '"whole"'));
    await storage.close();
    await rm(dir, { recursive: true });
  },
);
