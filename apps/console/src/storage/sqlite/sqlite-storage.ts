import { Kysely, SqliteDialect } from 'kysely';
import type { Storage, Stores } from '../../ports/storage.ts';
import { sqliteAccountStore } from './accounts.ts';
import { sqliteAgentStore } from './agents.ts';
import { sqliteAlarmStore } from './alarms.ts';
import { sqliteAuditStore } from './audit.ts';
import { sqliteEndpointStore } from './endpoints.ts';
import { sqliteFailureStore } from './failures.ts';
import { sqliteHistoryStore } from './history.ts';
import { sqliteJobStore } from './jobs.ts';
import { openDatabase } from './open-database.ts';
import { sqlitePlannedStore } from './planned.ts';
import { sqliteQuotaCatalog } from './quotas.ts';
import type { Tables } from './schema.ts';
import { sqliteSettingsStore } from './settings.ts';
import { sqliteShardStore } from './shards.ts';
import { withStatementCache } from './statement-cache.ts';
import { sqliteWebhookStore } from './webhooks.ts';

function storesOn(db: Kysely<Tables>): Stores {
  return {
    accounts: sqliteAccountStore(db),
    agents: sqliteAgentStore(db),
    alarms: sqliteAlarmStore(db),
    audit: sqliteAuditStore(db),
    endpoints: sqliteEndpointStore(db),
    failures: sqliteFailureStore(db),
    history: sqliteHistoryStore(db),
    jobs: sqliteJobStore(db),
    planned: sqlitePlannedStore(db),
    quotas: sqliteQuotaCatalog(db),
    settings: sqliteSettingsStore(db),
    shards: sqliteShardStore(db),
    webhooks: sqliteWebhookStore(db),
  };
}

/**
 * The embedded storage: one SQLite file, written ahead (WAL), one connection that runs transactions one after the other.
 * @throws UnusableDatabase see openDatabase
 */
export async function sqliteStorage(path: string): Promise<Storage> {
  const database = withStatementCache(await openDatabase(path));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  return {
    ...storesOn(db),
    transaction: (work) => db.transaction().execute((transaction) => work(storesOn(transaction))),
    close: () => db.destroy(),
  };
}
