import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { namedOption } from '../../config/option-ways.ts';
import { isPostgresUrl } from '../../config/storage-url.ts';
import { redisPlace } from '../../config/places.ts';
import { connectRedis } from '../../host/redis-connection.ts';
import { isAlive, lookAtGroup, namesOf } from '../../leadership/group-look.ts';
import { groupKey } from '../../leadership/group-secrets.ts';
import { DatabaseInUse, whileUnused } from '../postgres/unused-database.ts';
import { BackupError } from './backup-error.ts';

/** Where consoles may be seen that use what is replaced. */
export interface Surroundings {
  /** File of the database in the data directory. */
  readonly databasePath: string;
  /** Secrets files: those that are replaced, and those that come. */
  readonly secretsPaths: readonly string[];
  /** Kind of the database that was saved. */
  readonly archived: 'sqlite' | 'postgres';
  readonly storageUrl: string | undefined;
  readonly redisUrl: string | undefined;
}

/**
 * Replaces what a console uses, while none does and none can begin to.
 * @returns what `work` does, and what could not be looked at
 * @throws BackupError with who is there, and what to do; nothing was replaced then
 */
export async function whileNobodyIsThere<T>(
  given: Surroundings,
  work: () => Promise<T>,
): Promise<{ result: T; notSeen: string | null }> {
  const { databasePath, storageUrl, redisUrl, archived } = given;
  const onPostgres = storageUrl !== undefined && isPostgresUrl(storageUrl);
  if (archived === 'postgres' && !onPostgres) {
    throw new BackupError(
      `the keys in this backup belong to a PostgreSQL database: name it with ${namedOption('storageUrl')}, so that it can be ` +
        'asked whether consoles use it',
    );
  }
  if (storageUrl === undefined && !existsSync(databasePath)) {
    throw new BackupError(
      `there are keys, but no database ${databasePath}: say with ${namedOption('storageUrl')} which one they belong to, so that ` +
        'it can be asked whether consoles use it; sqlite: if it is lost',
    );
  }
  const notSeen = redisUrl === undefined ? null : await requireNoGroup(redisUrl, given.secretsPaths);
  const release = holdAlone(databasePath);
  try {
    const result = await (onPostgres ? whileUnused(storageUrl, work) : work());
    return { result, notSeen };
  } catch (error) {
    throw error instanceof DatabaseInUse ? new BackupError(error.message, { cause: error }) : error;
  } finally {
    release();
  }
}

/** What is said of a Redis that does not answer: consoles are seen at their database all the same. */
async function requireNoGroup(redisUrl: string, secretsPaths: readonly string[]): Promise<string | null> {
  const quiet = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const place = redisPlace(redisUrl);
  try {
    const redis = await connectRedis(redisUrl, quiet);
    try {
      for (const path of secretsPaths) {
        const key = await keyOf(path);
        if (key === null) continue;
        const group = await lookAtGroup(redis, key);
        if (!isAlive(group)) continue;
        throw new BackupError(
          `consoles of this group run, says Redis (${place}): ${namesOf(group)}. Stop all of them first; one that was killed is gone ` +
            'from there after 15 seconds',
        );
      }
    } finally {
      redis.close();
    }
    return null;
  } catch (error) {
    if (error instanceof BackupError) throw error;
    return `Redis (${place}) could not be asked whether consoles run: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const withKey = z.object({ encryptionKey: z.string() });

/** Null for a file that is not there, or damaged. */
async function keyOf(path: string): Promise<string | null> {
  try {
    return groupKey(withKey.parse(JSON.parse(await readFile(path, 'utf8'))));
  } catch {
    return null;
  }
}

/**
 * A console holds its database alone: who can lock it knows that none runs, and keeps others from starting until it is released.
 * @returns how to release it
 */
function holdAlone(path: string): () => void {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: 500 });
    database.pragma('locking_mode = EXCLUSIVE');
    // Its journal goes into the file: closing must not remove, by its name, that of the database which comes.
    database.pragma('journal_mode = DELETE');
    database.exec('begin exclusive');
    return () => database?.close();
  } catch (error) {
    database?.close();
    const code = error instanceof Database.SqliteError ? error.code : '';
    // Absent or damaged: what it is replaced for.
    if (!code.startsWith('SQLITE_BUSY') && !code.startsWith('SQLITE_LOCKED')) return ignore;
    throw new BackupError(`a console runs on ${path}: stop it first`, { cause: error });
  }
}

function ignore(): void {
  // Nothing is held, and nothing is to be said.
}
