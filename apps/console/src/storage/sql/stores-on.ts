import type { Kysely } from 'kysely';
import type { Stores } from '../../ports/storage.ts';
import { sqlAccountStore } from './accounts.ts';
import { sqlAgentStore } from './agents.ts';
import { sqlAlarmStore } from './alarms.ts';
import { sqlAuditStore } from './audit.ts';
import type { SqlDialect } from './dialect.ts';
import { sqlEndpointStore } from './endpoints.ts';
import { sqlFailureStore } from './failures.ts';
import { sqlHistoryStore } from './history.ts';
import { sqlJobStore } from './jobs.ts';
import { sqlPlannedStore } from './planned.ts';
import { sqlQuotaCatalog } from './quotas.ts';
import type { Tables } from './schema.ts';
import { sqlSettingsStore } from './settings.ts';
import { sqlShardStore } from './shards.ts';
import { sqlWebhookStore } from './webhooks.ts';

/** Every store, on one database or within one transaction. */
export function storesOn(db: Kysely<Tables>, dialect: SqlDialect): Stores {
  return {
    accounts: sqlAccountStore(db),
    agents: sqlAgentStore(db, dialect),
    alarms: sqlAlarmStore(db),
    audit: sqlAuditStore(db),
    endpoints: sqlEndpointStore(db),
    failures: sqlFailureStore(db),
    history: sqlHistoryStore(db, dialect),
    jobs: sqlJobStore(db),
    planned: sqlPlannedStore(db),
    quotas: sqlQuotaCatalog(db),
    settings: sqlSettingsStore(db),
    shards: sqlShardStore(db),
    webhooks: sqlWebhookStore(db),
  };
}
