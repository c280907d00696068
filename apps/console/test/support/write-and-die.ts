/**
 * A process of its own that keeps something, begins a transaction, and is killed in the middle of it.
 * Arguments: the address of a PostgreSQL database, or the path of a SQLite file.
 */
import { isPostgresUrl } from '../../src/config/storage-url.ts';
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';

const address = process.argv[2] ?? '';
const storage = isPostgresUrl(address)
  ? await postgresStorage(address, { nowMs: () => performance.now(), outageChanged: () => undefined })
  : await sqliteStorage(address);
await storage.settings.saveState('before', '"kept"');
await storage.transaction(async (stores) => {
  await stores.settings.saveState('half', '"lost"');
  await stores.settings.saveState('before', '"changed"');
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
});
