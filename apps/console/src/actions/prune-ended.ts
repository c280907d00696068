import type { ConsoleContext } from './context.ts';
import { KEPT_AUDIT_ENTRIES } from './read-audit-log.ts';

const DAY_MS = 24 * 3_600_000;
/** Rows deleted in one go: a few milliseconds, so that nobody waits for it. */
const BATCH = 5_000;
/** Jobs deleted in one go: each has up to 10,000 failed objects and 1,024 key ranges. */
const JOBS_PER_BATCH = 5;

/**
 * Deletes one batch of each kind of what ended longer ago than it is kept: jobs, their lists of objects, alarms, and entries
 * of the audit log, of which at most 100,000 are kept whatever their age. True when there may be more.
 */
export async function pruneEnded(context: Pick<ConsoleContext, 'clock' | 'limits' | 'storage'>): Promise<boolean> {
  const { jobs, failures, alarms, audit } = context.limits.retentionDays;
  const nowMs = context.clock.nowMs();
  const before = (days: number): number => nowMs - days * DAY_MS;
  const { storage } = context;
  // A job goes with everything of its own, or stays.
  const goneJobs = await storage.transaction((stores) => stores.jobs.prune(before(jobs), JOBS_PER_BATCH));
  const goneLists = await storage.failures.prune(before(failures), BATCH);
  const goneAlarms = await storage.alarms.prune(before(alarms), BATCH);
  const goneEntries = await storage.audit.prune(KEPT_AUDIT_ENTRIES, before(audit), BATCH);
  return goneJobs >= JOBS_PER_BATCH || goneLists >= BATCH || goneAlarms >= BATCH || goneEntries >= BATCH;
}
