import { Kysely } from 'kysely';
import type { Storage } from '../../ports/storage.ts';
import { OneAtATime } from '../sql/one-at-a-time.ts';
import type { Tables } from '../sql/schema.ts';
import { storesOn } from '../sql/stores-on.ts';
import { openDatabase } from './open-database.ts';
import { SQLITE } from './sqlite-dialect.ts';
import { statementsOn, type Statements } from './statements.ts';
import { statementsDialect } from './statements-dialect.ts';
import { threadedStatements } from './threaded-statements.ts';

/** A storage that can be copied while it is used. */
export interface SqliteStorage extends Storage {
  /** Writes a consistent copy; whoever else needs the database waits until it is done, about a second for each 200 MB. */
  copyTo(path: string): Promise<void>;
}

/**
 * The embedded storage: one SQLite file, written ahead (WAL), one connection that runs transactions one after the other.
 * @param where `this-thread`: all that waits for the disk waits here; for tests, which see then what is done in which turn.
 *   Default: a thread of its own.
 * @throws UnusableDatabase see openDatabase
 */
export async function sqliteStorage(
  path: string,
  where: 'own-thread' | 'this-thread' = 'own-thread',
): Promise<SqliteStorage> {
  return sqliteStorageBy(
    where === 'own-thread' ? await threadedStatements(path) : statementsOn(await openDatabase(path)),
  );
}

/** The same by way of whatever runs the statements. */
export function sqliteStorageBy(statements: Statements): SqliteStorage {
  const db = new Kysely<Tables>({ dialect: statementsDialect(statements) });
  const transactions = new OneAtATime();
  return {
    ...storesOn(db, SQLITE),
    transaction: (work, order) =>
      transactions.run(
        () => db.transaction().execute((transaction) => work(storesOn(transaction, SQLITE))),
        order === 'urgent',
      ),
    // With the connection from the first page to the last: a step that meets an open transaction does nothing (the first one
    // even ends the backup, since better-sqlite3 12 takes "locked" for "done").
    copyTo: (target) => db.connection().execute(() => statements.copyTo(target)),
    close: () => db.destroy(),
  };
}
