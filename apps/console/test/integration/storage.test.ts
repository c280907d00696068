import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { afterAll, beforeAll } from 'vitest';
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { describeStorage } from '../support/describe-storage.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

let databases = 0;
describeStorage('SQLite', () => sqliteStorage(':memory:'));
describeStorage('SQLite in the thread of whoever asks', () => sqliteStorage(':memory:', 'this-thread'));
describeStorage('PostgreSQL', async () => {
  const url = await server.createDatabase(`weir_${(databases += 1)}`);
  return postgresStorage(url, { nowMs: () => performance.now(), outageChanged: () => undefined });
});
