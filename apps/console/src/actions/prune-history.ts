import type { ConsoleContext } from './context.ts';

/** Samples and windows are kept for 8 days: a week, and the day to compare it with. */
const RETENTION_MS = 8 * 86_400_000;
/** Rows deleted in one go: a few milliseconds, so that nobody waits for it. */
const BATCH = 5_000;
/** Entries of the audit trail that are kept. */
const AUDIT_ENTRIES = 100_000;

/** Deletes one batch of what is past its time; true when there may be more. */
export async function pruneHistory(context: ConsoleContext): Promise<boolean> {
  const nowMs = context.clock.nowMs();
  await context.storage.accounts.deleteExpired(nowMs);
  const history = await context.storage.history.prune(nowMs - RETENTION_MS, BATCH);
  const audit = await context.storage.audit.prune(AUDIT_ENTRIES, BATCH);
  return history >= BATCH || audit >= BATCH;
}
