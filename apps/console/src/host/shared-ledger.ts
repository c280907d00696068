import { RedisStore } from '@weir/quota-redis';
import type { LedgerTier } from '../ports/credit-ledger.ts';
import type { RedisConnection } from './redis-connection.ts';

/** The ledger that a group of consoles keeps on its Redis. */
export function sharedLedger(connection: RedisConnection): LedgerTier {
  return { store: new RedisStore({ client: connection }), connections: () => connection.connections };
}
