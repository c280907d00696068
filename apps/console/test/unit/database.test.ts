import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sql/migrations.ts';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-database-'));
  path = join(dir, 'weir.db');
});
afterEach(() => rm(dir, { recursive: true }));

/** Tries to open the file; says why it was refused, and whether it was left as it was. */
async function refusal(): Promise<{ message: string; untouched: boolean }> {
  const before = await readFile(path);
  const message = await openDatabase(path).then(
    () => 'it was opened',
    (error: unknown) => String(error),
  );
  return { message, untouched: (await readFile(path)).equals(before) };
}

test('a database of a newer console is refused and left as it is', async () => {
  (await openDatabase(path, [...MIGRATIONS, 'create table of_the_future (x integer) strict'])).close();
  expect(await refusal()).toEqual({
    message: expect.stringContaining(
      `has version ${MIGRATIONS.length + 1}, and this console knows versions up to ${MIGRATIONS.length}`,
    ),
    untouched: true,
  });
});

test('a database of another program is refused and left as it is', async () => {
  const other = new Database(path);
  other.exec('create table notes (text text)');
  other.close();
  expect(await refusal()).toEqual({ message: expect.stringContaining('belongs to another program'), untouched: true });
});

test('a file that is no database is refused and left as it is', async () => {
  await writeFile(
    path,
    'just some text that somebody put here, long enough to be taken for a header of a database file'.repeat(3),
  );
  expect(await refusal()).toEqual({ message: expect.stringContaining('is not a SQLite database'), untouched: true });
});

test('a truncated database is refused and left as it is', async () => {
  (await openDatabase(path)).close();
  await writeFile(path, (await readFile(path)).subarray(0, 5_000));
  expect(await refusal()).toEqual({ message: expect.stringContaining('is damaged'), untouched: true });
});

test('a database with damaged pages is refused and left as it is', async () => {
  (await openDatabase(path)).close();
  const bytes = await readFile(path);
  bytes.fill(0xab, 4_096, 40_960);
  await writeFile(path, bytes);
  expect(await refusal()).toEqual({ message: expect.stringContaining('is damaged'), untouched: true });
});

test('an older database is brought forward, and its rows are kept', async () => {
  const old = await openDatabase(path);
  old.exec(`insert into states (name, json) values ('x', '1')`);
  old.close();
  const next = await openDatabase(path, [...MIGRATIONS, 'alter table states add column note text']);
  expect(next.prepare('select * from states').all()).toEqual([{ name: 'x', json: '1', note: null }]);
  next.close();
});

test('a migration that fails changes nothing', async () => {
  (await openDatabase(path)).close();
  const broken = [...MIGRATIONS, 'create table half (x integer) strict; create table jobs (x integer)'];
  await expect(openDatabase(path, broken)).rejects.toThrow('cannot be opened');
  const again = await openDatabase(path);
  expect(again.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
  expect(again.prepare(`select * from sqlite_schema where name = 'half'`).all()).toEqual([]);
  again.close();
});

test('a transaction that throws leaves no trace, and others wait for one that runs', async () => {
  const storage = await sqliteStorage(path);
  const failing = storage.transaction(async (stores) => {
    await stores.settings.saveState('a', '1');
    throw new Error('no');
  });
  const reading = storage.settings.state('a');
  await expect(failing).rejects.toThrow('no');
  expect(await reading).toBeUndefined();
  await storage.close();
});
