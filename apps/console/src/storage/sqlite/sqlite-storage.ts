import { Kysely, SqliteDialect } from 'kysely';
import type { Storage } from '../../ports/storage.ts';
import type { Tables } from '../sql/schema.ts';
import { storesOn } from '../sql/stores-on.ts';
import { openDatabase } from './open-database.ts';
import { SQLITE } from './sqlite-dialect.ts';
import { withStatementCache } from './statement-cache.ts';

/**
 * The embedded storage: one SQLite file, written ahead (WAL), one connection that runs transactions one after the other.
 * @throws UnusableDatabase see openDatabase
 */
export async function sqliteStorage(path: string): Promise<Storage> {
  const database = withStatementCache(await openDatabase(path));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  return {
    ...storesOn(db, SQLITE),
    transaction: (work) => db.transaction().execute((transaction) => work(storesOn(transaction, SQLITE))),
    close: () => db.destroy(),
  };
}
