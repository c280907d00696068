import type { FieldChange } from '@weir/protocol';

/** One thing that somebody did. Never holds a secret. */
export interface AuditEntry {
  atMs: number;
  /** User name, `agent:<id>` or `console`. */
  actor: string;
  /** Verb, such as `endpoint.create`. */
  action: string;
  /** What it was done to: an id, or empty. */
  subject: string;
  /** Network address that it was asked for from; null: the console did it by itself. */
  address: string | null;
  detail: Record<string, string | number | boolean | null>;
  /** Fields that it changed; empty for what changes none. */
  changes: FieldChange[];
}

/** Which entries of the trail: all that are given must fit. */
export interface AuditFilter {
  /** Most entries that are answered. */
  limit: number;
  /** Only entries with a lower number. */
  before?: number | undefined;
  actor?: string | undefined;
  /** The action, or its beginning up to a dot. */
  action?: string | undefined;
  /** Text anywhere in the entry; upper and lower case of a–z are the same. */
  text?: string | undefined;
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

/** The trail of who did what. */
export interface AuditStore {
  add(entry: AuditEntry): Promise<void>;
  /** Newest first, each with its number. */
  list(filter: AuditFilter): Promise<(AuditEntry & { entry: number })[]>;
  /** Deletes the oldest entries beyond the newest `keep`, and those from before `sinceMs`: at most `batch`; returns how many. */
  prune(keep: number, sinceMs: number, batch: number): Promise<number>;
}
