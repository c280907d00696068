import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Storage } from '../../src/ports/storage.ts';
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { expectFirstTables, expectLaterTables, expectVersion7 } from '../support/expect-filled.ts';

const folder = new URL('../fixtures/databases/', import.meta.url);
/** Versions that consoles were released with: databases of these exist. */
const versionsOf = (engine: string): number[] =>
  readdirSync(folder)
    .map((name) => Number(new RegExp(`^v(\\d+)\\.${engine}\\.sql$`).exec(name)?.[1]))
    .filter((version) => version > 0);

let server: PostgresServer;
let dir: string;
beforeAll(async () => {
  server = await startPostgres();
  dir = await mkdtemp(join(tmpdir(), 'weir-versions-'));
});
afterAll(async () => {
  await server.stop();
  await rm(dir, { recursive: true });
});

test.each(['sqlite', 'postgres'])('there is a database of the newest version to upgrade from later: %s', (engine) => {
  const name = `v${MIGRATIONS.length}.${engine}.sql`;
  expect(existsSync(new URL(name, folder)), `${name} is missing: run fixtures/make-databases.ts`).toBe(true);
});

test.each(versionsOf('sqlite'))(
  'a SQLite database of version %i is brought forward with everything in it',
  async (version) => {
    const path = join(dir, `v${version}.db`);
    const database = new Database(path);
    database.exec(await readFile(new URL(`v${version}.sqlite.sql`, folder), 'utf8'));
    database.close();
    const storage = await sqliteStorage(path);
    await expectFirstTables(storage, version);
    expect(await storage.jobs.countByState()).toEqual(
      new Map([
        ['running', 1],
        ['failed', 1],
      ]),
    );
    if (version > 1) await expectLaterTables(storage);
    if (version > 6) await expectVersion7(storage);
    await storage.close();
  },
);

test.each(versionsOf('postgres'))(
  'a PostgreSQL database of version %i is brought forward with everything in it',
  async (version) => {
    const url = await server.createDatabase(`v${version}`);
    const file = fileURLToPath(new URL(`v${version}.postgres.sql`, folder));
    await server.program('psql', '-d', `v${version}`, '-q', '-v', 'ON_ERROR_STOP=1', '-f', file);
    const storage = await postgresStorage(url, { nowMs: () => performance.now(), outageChanged: () => undefined });
    await expectFirstTables(storage, version);
    expect(await storage.jobs.countByState()).toEqual(
      new Map([
        ['running', 1],
        ['failed', 1],
      ]),
    );
    await expectLaterTables(storage);
    if (version > 6) await expectVersion7(storage);
    await storage.close();
  },
);

test.each(['sqlite', 'postgres'])(
  'a quota that an older console defined has version 1 after the upgrade, and can be changed from there: %s',
  async (engine) => {
    const defined = `insert into quotas (definition_id, store_id, quota, definition, changed_at_ms, changed_by)
      values ('old', 'memory', 'api', '{"storeId":"memory","quota":"api","limit":5}', 9, 'anna');`;
    let storage: Storage;
    if (engine === 'sqlite') {
      const path = join(dir, 'quota-of-v6.db');
      const database = new Database(path);
      database.exec((await readFile(new URL('v6.sqlite.sql', folder), 'utf8')) + defined);
      database.close();
      storage = await sqliteStorage(path);
    } else {
      const url = await server.createDatabase('quota_of_v6');
      const given = ['-d', 'quota_of_v6', '-q', '-v', 'ON_ERROR_STOP=1'];
      await server.program('psql', ...given, '-f', fileURLToPath(new URL('v6.postgres.sql', folder)));
      await server.program('psql', ...given, '-c', `set search_path to public; ${defined}`);
      storage = await postgresStorage(url, { nowMs: () => performance.now(), outageChanged: () => undefined });
    }
    const [old] = await storage.quotas.quotas();
    expect(old).toMatchObject({ definitionId: 'old', version: 1, changedBy: 'anna' });
    if (old === undefined) throw new Error('the quota is gone');
    await storage.quotas.saveQuota({ ...old, version: 2 });
    expect(await storage.quotas.quotas()).toMatchObject([{ definitionId: 'old', version: 2 }]);
    expect(await storage.audit.list({ limit: 9 })).toMatchObject([{ changes: [] }]);
    await storage.close();
  },
);
