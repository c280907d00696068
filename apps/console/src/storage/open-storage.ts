import { join } from 'node:path';
import { isPostgresUrl } from '../config/storage-url.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { GroupStorage } from '../ports/group-storage.ts';
import type { Storage } from '../ports/storage.ts';
import { DATABASE_FILE } from './backup/contents.ts';
import { openDoor } from './backup/door.ts';
import { postgresGroupStorage } from './postgres/group-storage.ts';
import type { PoolSurroundings } from './postgres/guarded-pool.ts';
import { postgresStorage } from './postgres/postgres-storage.ts';
import { sqliteStorage } from './sqlite/sqlite-storage.ts';

export { DATABASE_FILE };

/**
 * Opens what the options name.
 * @throws UnusableDatabase with what is wrong and what to do; nothing was changed then
 */
export async function openStorage(
  { storageUrl, dataDir }: { storageUrl: string; dataDir: string },
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Storage> {
  if (!isPostgresUrl(storageUrl)) return withDoor(dataDir, log);
  return postgresStorage(storageUrl, surroundings(clock, log));
}

/**
 * Opens the database of a group of consoles, which is PostgreSQL.
 * @param migrations default: those of this version
 * @throws UnusableDatabase as openStorage
 */
export async function openGroupStorage(
  storageUrl: string,
  { clock, log, migrations }: { clock: Clock; log: Logger; migrations?: readonly string[] | undefined },
): Promise<GroupStorage> {
  return postgresGroupStorage(storageUrl, { ...surroundings(clock, log), log, migrations });
}

function surroundings(clock: Clock, log: Logger): PoolSurroundings {
  return {
    nowMs: () => clock.steadyMs(),
    outageChanged: (reason) => {
      if (reason === null) log.info({}, 'the database is back');
      else log.warn({ reason }, 'the database does not answer; it is tried again twice a second');
    },
  };
}

/** SQLite, and a door for whoever wants a copy of it. */
async function withDoor(dataDir: string, log: Logger): Promise<Storage> {
  const storage = await sqliteStorage(join(dataDir, DATABASE_FILE));
  const closeDoor = await openDoor(dataDir, (path) => storage.copyTo(path)).catch((error: unknown) => {
    log.warn({ error: String(error) }, 'no backup can be made while this console runs');
    return undefined;
  });
  return {
    ...storage,
    async close() {
      await closeDoor?.();
      await storage.close();
    },
  };
}
