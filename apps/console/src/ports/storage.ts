import type { AccountStore } from './account-store.ts';
import type { AgentStore } from './agent-store.ts';
import type { AlarmStore } from './alarm-store.ts';
import type { AuditStore } from './audit-store.ts';
import type { EndpointStore } from './endpoint-store.ts';
import type { HistoryStore } from './history-store.ts';
import type { FailureStore, JobStore, PlannedStore, ShardStore } from './job-store.ts';
import type { QuotaCatalog } from './quota-catalog.ts';
import type { SettingsStore } from './settings-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/** Everything that outlives the process, by owner. */
export interface Stores {
  readonly accounts: AccountStore;
  readonly agents: AgentStore;
  readonly alarms: AlarmStore;
  readonly audit: AuditStore;
  readonly endpoints: EndpointStore;
  readonly failures: FailureStore;
  readonly history: HistoryStore;
  readonly jobs: JobStore;
  readonly planned: PlannedStore;
  readonly quotas: QuotaCatalog;
  readonly settings: SettingsStore;
  readonly shards: ShardStore;
  readonly webhooks: WebhookStore;
}

/** Stores whose calls each stand alone, and a way to make several of them one. */
export interface Storage extends Stores {
  /**
   * Runs `work` alone: nobody sees its writes before it returns, and none of them happened if it throws.
   * `work` must use the stores that it is given, and must not wait for anything but them: it holds up everybody else.
   * @param order `urgent`: before all that wait already, where the database is slow enough for a queue. For what agents are idle without.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>, order?: 'urgent'): Promise<T>;
  close(): Promise<void>;
}
