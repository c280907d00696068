import type { QuotaStoreKind } from '@weir/protocol';
import type { Store } from '@weir/quota';
import type { AuditedStore } from '@weir/quota-audit';

/** Where a store is, and who asks. */
export interface QuotaTarget {
  kind: QuotaStoreKind;
  address: string;
  username: string | null;
  password: string | null;
}

/** A store that is open. */
export interface QuotaConnection {
  /** What quotas count on. */
  readonly store: Store;
  /** What is looked through; null where nobody but this console can have written anything. */
  readonly audited: AuditedStore | null;
  close(): Promise<void>;
}

/** Opens stores. */
export interface QuotaConnector {
  /**
   * Opens one, within a bound of its own. Once open it comes back by itself after an outage; calls fail meanwhile.
   * @throws Error that says in one sentence, without secrets, why it cannot be used
   */
  connect(target: QuotaTarget): Promise<QuotaConnection>;
}
