import { Kysely, PostgresDialect } from 'kysely';
import type { GroupStorage, TermStorage } from '../../ports/group-storage.ts';
import type { Logger } from '../../ports/logger.ts';
import { MIGRATIONS } from '../sql/migrations.ts';
import type { Tables } from '../sql/schema.ts';
import { FencedPool, newestFenceOf, nextFence } from './fenced-pool.ts';
import { beginTermOnOlder, joinDatabase, type Joining } from './group-database.ts';
import { GuardedPool, type PoolSurroundings } from './guarded-pool.ts';
import { storageOn } from './postgres-storage.ts';

/** A leader that stops in the middle of a transaction holds up its successor until the server ends it, in ms. */
const IDLE_IN_TRANSACTION_MS = 3_000;

/** As long as any other statement waits: somebody else may lead meanwhile. */
const LOCK_MS = 5_000;

/** What a group's storage works with. */
export interface GroupSurroundings extends PoolSurroundings {
  readonly log: Logger;
  /** The way from one version of the database to the next. Default: that of this version of Weir. */
  readonly migrations?: readonly string[] | undefined;
  /** Who is asked whether a console may use the database. Default: nobody. */
  readonly joining?: Joining;
  /** How long bringing it forward waits for each lock, in ms. Default 5,000. */
  readonly lockMs?: number;
}

/**
 * One database for a group of consoles: whoever leads writes through the storage of its term.
 * @throws UnusableDatabase see openPostgres; every call later may throw StorageUnavailable, and those of a term LeadershipLost
 */
export async function postgresGroupStorage(
  url: string,
  { log, migrations = MIGRATIONS, joining, lockMs = LOCK_MS, ...surroundings }: GroupSurroundings,
): Promise<GroupStorage> {
  const pool = new GuardedPool(url, { ...surroundings, idleInTransactionMs: IDLE_IN_TRANSACTION_MS });
  const { identity, version } = await joinDatabase(url, migrations, {
    judge: (found) => joining?.judge(found),
    admit: async () => {
      await joining?.admit();
      await pool.appear();
    },
  }).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  if (version < migrations.length) {
    const versions = { from: version, to: migrations.length };
    log.info(versions, 'the database is older than this console, which brings it forward when it leads and not before');
  }
  let told = false;
  const begins = (from: number): void => {
    if (!told)
      log.info({ from, to: migrations.length }, 'the database is being brought forward; nobody leads meanwhile');
    told = true;
  };
  return {
    shared: {
      ...storageOn(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })),
      close: () => pool.end(),
    },
    identity,
    schema: migrations.length,
    nextFence: async () =>
      (await nextFence(pool, migrations.length)) ?? beginTermOnOlder(url, { migrations, log, begins, lockMs }),
    newestFence: () => newestFenceOf(pool),
    under: (fence, onLost): TermStorage => {
      const fenced = new FencedPool(pool, { fence, version: migrations.length }, onLost);
      const storage = storageOn(new Kysely<Tables>({ dialect: new PostgresDialect({ pool: fenced }) }));
      // The pool is the group's. What comes late to a term that has ended is told that, and not that something was destroyed.
      return { ...storage, seal: () => fenced.seal(), close: () => fenced.end() };
    },
  };
}
