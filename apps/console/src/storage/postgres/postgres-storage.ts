import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Storage } from '../../ports/storage.ts';
import { MIGRATIONS } from '../sql/migrations.ts';
import type { Tables } from '../sql/schema.ts';
import { storesOn } from '../sql/stores-on.ts';
import { GuardedPool, type PoolSurroundings } from './guarded-pool.ts';
import { OneAtATime } from '../sql/one-at-a-time.ts';
import { openPostgres } from './open-postgres.ts';
import { POSTGRES } from './postgres-dialect.ts';

/** Held by the transaction of the moment, over all consoles of a database: "Tran" in ASCII. */
const TRANSACTION_LOCK = 0x54_72_61_6e;

/** What a console alone gives besides. */
interface Admitted extends PoolSurroundings {
  /** Asked last, while nobody else may change the database; nothing is opened if it rejects. */
  readonly admit?: () => Promise<void>;
}

/**
 * The grown storage: a PostgreSQL database, 13 or later, in the first schema of the user's search path. Transactions run one
 * after the other, as with SQLite: first those of this process, so that those that wait take no connection, then over all
 * consoles by a lock.
 * @param url address with user, password and database, `postgres://…`
 * @throws UnusableDatabase see openPostgres; every call later may throw StorageUnavailable
 */
export async function postgresStorage(url: string, { admit, ...surroundings }: Admitted): Promise<Storage> {
  const pool = new GuardedPool(url, surroundings);
  try {
    await openPostgres(url, MIGRATIONS, async () => {
      await admit?.();
      await pool.appear();
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return storageOn(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }));
}

/** A storage on connections that are there. Its `close` ends them. */
export function storageOn(db: Kysely<Tables>): Storage {
  const transactions = new OneAtATime();
  return {
    ...storesOn(db, POSTGRES),
    transaction: (work, order) =>
      transactions.run(
        () =>
          db.transaction().execute(async (transaction) => {
            await sql`select pg_advisory_xact_lock(${sql.lit(TRANSACTION_LOCK)})`.execute(transaction);
            return work(storesOn(transaction, POSTGRES));
          }),
        order === 'urgent',
      ),
    close: () => db.destroy(),
  };
}
