import { join } from 'node:path';
import { isPostgresUrl } from '../config/storage-url.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { GroupStorage } from '../ports/group-storage.ts';
import type { Storage } from '../ports/storage.ts';
import { DATABASE_FILE } from './backup/contents.ts';
import { openDoor } from './backup/door.ts';
import { type GroupSurroundings, postgresGroupStorage } from './postgres/group-storage.ts';
import type { PoolSurroundings } from './postgres/guarded-pool.ts';
import { postgresStorage } from './postgres/postgres-storage.ts';
import { sqliteStorage } from './sqlite/sqlite-storage.ts';

export { DATABASE_FILE };

/**
 * Opens what the options name.
 * @param admit asked last, while nobody else may change the database; nothing is opened if it rejects
 * @throws UnusableDatabase with what is wrong and what to do; nothing was changed then
 */
export async function openStorage(
  { storageUrl, dataDir }: { storageUrl: string; dataDir: string },
  { clock, log, admit = nobodyAsks }: { clock: Clock; log: Logger; admit?: () => Promise<void> },
): Promise<Storage> {
  if (!isPostgresUrl(storageUrl)) return withDoor(dataDir, log, admit);
  return postgresStorage(storageUrl, { ...surroundings(clock, log), admit });
}

async function nobodyAsks(): Promise<void> {
  // Whoever opens a storage without keys of its own.
}

/**
 * Opens the database of a group of consoles, which is PostgreSQL.
 * @param given the way from one version of the database to the next, and who is asked last
 * @throws UnusableDatabase as openStorage
 */
export async function openGroupStorage(
  storageUrl: string,
  { clock, log, ...given }: { clock: Clock } & Pick<GroupSurroundings, 'log' | 'migrations' | 'joining'>,
): Promise<GroupStorage> {
  return postgresGroupStorage(storageUrl, { ...surroundings(clock, log), ...given, log });
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
async function withDoor(dataDir: string, log: Logger, admit: () => Promise<void>): Promise<Storage> {
  const storage = await sqliteStorage(join(dataDir, DATABASE_FILE));
  await admit().catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
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
