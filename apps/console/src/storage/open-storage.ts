import { join } from 'node:path';
import { isPostgresUrl } from '../config/storage-url.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage.ts';
import { postgresStorage } from './postgres/postgres-storage.ts';
import { sqliteStorage } from './sqlite/sqlite-storage.ts';

/** Name of the SQLite file in the data directory. */
export const DATABASE_FILE = 'weir.db';

/**
 * Opens what the options name.
 * @throws UnusableDatabase with what is wrong and what to do; nothing was changed then
 */
export async function openStorage(
  { storageUrl, dataDir }: { storageUrl: string; dataDir: string },
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Storage> {
  if (!isPostgresUrl(storageUrl)) return sqliteStorage(join(dataDir, DATABASE_FILE));
  return postgresStorage(storageUrl, {
    nowMs: () => clock.steadyMs(),
    outageChanged: (reason) => {
      if (reason === null) log.info({}, 'the database is back');
      else log.warn({ reason }, 'the database does not answer; it is tried again twice a second');
    },
  });
}
