import type Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { Storage } from '../../ports/storage.ts';
import type { Tables } from '../sql/schema.ts';
import { storesOn } from '../sql/stores-on.ts';
import { openDatabase } from './open-database.ts';
import { SQLITE } from './sqlite-dialect.ts';
import { withStatementCache } from './statement-cache.ts';

/** 2 MB: a millisecond or two, so that heartbeats are answered in between. */
const PAGES_PER_STEP = 500;

/** A storage that can be copied while it is used. */
export interface SqliteStorage extends Storage {
  /** Writes a consistent copy; whoever else needs the database waits until it is done. */
  copyTo(path: string): Promise<void>;
}

/**
 * The embedded storage: one SQLite file, written ahead (WAL), one connection that runs transactions one after the other.
 * @throws UnusableDatabase see openDatabase
 */
export async function sqliteStorage(path: string): Promise<SqliteStorage> {
  const opened = await openDatabase(path);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: withStatementCache(opened) }) });
  return {
    ...storesOn(db, SQLITE),
    transaction: (work) => db.transaction().execute((transaction) => work(storesOn(transaction, SQLITE))),
    copyTo: (target) => copyOf(opened, db, target),
    close: () => db.destroy(),
  };
}

/**
 * Holds the connection from the first page to the last, about a second for each 200 MB: a step that meets an open transaction
 * does nothing (the first one even ends the backup, since better-sqlite3 12 takes "locked" for "done"), so a console
 * that is never without a transaction would never be copied. Heartbeats need no database and are answered between steps.
 */
async function copyOf(opened: Database.Database, db: Kysely<Tables>, target: string): Promise<void> {
  const { totalPages } = await db.connection().execute(() => opened.backup(target, { progress: () => PAGES_PER_STEP }));
  if (totalPages === 0) throw new Error('SQLite copied nothing');
}
