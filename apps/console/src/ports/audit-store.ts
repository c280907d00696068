/** One thing that somebody did. Never holds a secret. */
export interface AuditEntry {
  atMs: number;
  /** User name, `agent:<id>` or `console`. */
  actor: string;
  /** Verb, such as `endpoint.create`. */
  action: string;
  /** What it was done to: an id, or empty. */
  subject: string;
  detail: Record<string, string | number | boolean | null>;
}

/** The trail of who did what. */
export interface AuditStore {
  add(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<AuditEntry[]>;
  /** Deletes the oldest entries beyond `keep`, at most `batch`; returns how many went. */
  prune(keep: number, batch: number): Promise<number>;
}
