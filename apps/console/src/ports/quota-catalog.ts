import type { AuditRunView, QuotaInput, QuotaStoreKind } from '@weir/protocol';

/** A store for counters as it is kept: its password only encrypted. */
export interface StoredQuotaStore {
  storeId: string;
  name: string;
  kind: QuotaStoreKind;
  address: string;
  username: string | null;
  sealedPassword: string | null;
  createdAtMs: number;
  createdBy: string;
}

/** A quota as it was defined. */
export interface StoredQuota {
  definitionId: string;
  /** Grows by one with each change. */
  version: number;
  input: QuotaInput;
  changedAtMs: number;
  changedBy: string;
}

/** What this console decided about a quota in one minute. */
export interface QuotaMinute {
  definitionId: string;
  /** Begin of the minute. */
  atMs: number;
  admitted: number;
  refused: number;
  /** Null: the store was not looked through in this minute. */
  subjectsAtLimit: number | null;
}

/** Stores, definitions, what was decided, and audits. */
export interface QuotaCatalog {
  /** By name. */
  stores(): Promise<StoredQuotaStore[]>;
  insertStore(store: StoredQuotaStore): Promise<void>;
  deleteStore(storeId: string): Promise<void>;
  /** By name of the quota. */
  quotas(): Promise<StoredQuota[]>;
  /** Adds or replaces by id. */
  saveQuota(quota: StoredQuota): Promise<void>;
  /** Its minutes go with it. */
  deleteQuota(definitionId: string): Promise<void>;
  addMinutes(minutes: readonly QuotaMinute[]): Promise<void>;
  /** Oldest first. */
  minutesSince(definitionId: string, atMs: number): Promise<QuotaMinute[]>;
  /** Deletes up to `batch` minutes before a moment; returns how many went. */
  pruneMinutes(beforeMs: number, batch: number): Promise<number>;
  /** Adds or replaces by id. */
  saveAudit(audit: AuditRunView): Promise<void>;
  /** Newest first. */
  audits(): Promise<AuditRunView[]>;
  deleteAudit(auditId: string): Promise<void>;
}
