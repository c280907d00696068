import type { AuditPage, AuditQuery } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';

/** Entries that are kept at most; the oldest go first. */
export const KEPT_AUDIT_ENTRIES = 100_000;

/** One page of the audit log, newest first. */
export async function readAuditLog(context: Pick<ConsoleContext, 'storage'>, query: AuditQuery): Promise<AuditPage> {
  // One more than asked for says whether there is another page.
  const found = await context.storage.audit.list({ ...query, limit: query.limit + 1 });
  const entries = found.slice(0, query.limit);
  const next = found.length > query.limit ? (entries.at(-1)?.entry ?? null) : null;
  return { entries, next, kept: KEPT_AUDIT_ENTRIES };
}
