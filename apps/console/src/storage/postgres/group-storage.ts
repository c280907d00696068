import { Kysely, PostgresDialect } from 'kysely';
import type { GroupStorage, TermStorage } from '../../ports/group-storage.ts';
import type { Tables } from '../sql/schema.ts';
import { FencedPool, newestFence, nextFence } from './fenced-pool.ts';
import { GuardedPool, type PoolSurroundings } from './guarded-pool.ts';
import { openPostgres } from './open-postgres.ts';
import { storageOn } from './postgres-storage.ts';

/** A leader that stops in the middle of a transaction holds up its successor until the server ends it, in ms. */
const IDLE_IN_TRANSACTION_MS = 3_000;

/**
 * One database for a group of consoles: whoever leads writes through the storage of its term.
 * @throws UnusableDatabase see openPostgres; every call later may throw StorageUnavailable, and those of a term LeadershipLost
 */
export async function postgresGroupStorage(url: string, surroundings: PoolSurroundings): Promise<GroupStorage> {
  await openPostgres(url);
  const pool = new GuardedPool(url, { ...surroundings, idleInTransactionMs: IDLE_IN_TRANSACTION_MS });
  return {
    shared: {
      ...storageOn(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })),
      close: () => pool.end(),
    },
    nextFence: () => nextFence(pool),
    newestFence: () => newestFence(pool),
    under: (fence, onLost): TermStorage => {
      const fenced = new FencedPool(pool, fence, onLost);
      const storage = storageOn(new Kysely<Tables>({ dialect: new PostgresDialect({ pool: fenced }) }));
      // The pool is the group's. What comes late to a term that has ended is told that, and not that something was destroyed.
      return { ...storage, seal: () => fenced.seal(), close: () => fenced.end() };
    },
  };
}
