import { HISTORY_RANGES, MONITOR_POINTS } from '@weir/protocol';
import type { Retention } from '../ports/history-store.ts';
import type { ConsoleContext } from './context.ts';

const HOUR_MS = 3_600_000;
/** Windows and events are kept for 8 days: a week, and the day to compare it with. */
const RETENTION_MS = 8 * 24 * HOUR_MS;
/** Single samples are for the last 60 windows; two hours are something to look at when a console was away. */
const SAMPLES_MS = 2 * HOUR_MS;
/** Buckets of each length stay a tenth longer than the range that shows them. */
const BUCKET_MARGIN = 1.1;
/** Finished windows that are kept at most: 8 days of 20 agents, an hour of 4,000. About 100 MB. */
const MAX_WINDOWS = 500_000;
/** Events that are kept at most; more in a week are a fleet that flaps. */
const MAX_EVENTS = 10_000;
/** Rows deleted in one go: a few milliseconds, so that nobody waits for it. */
const BATCH = 5_000;
/** Messages to webhooks that are kept, besides those that wait. */
const DELIVERIES = 1_000;
/** The picture of a quota shows a day. */
const QUOTA_MINUTES_MS = 25 * HOUR_MS;

/** Deletes one batch of what is past its time or beyond its bound; true when there may be more. */
export async function pruneHistory(context: ConsoleContext): Promise<boolean> {
  const nowMs = context.clock.nowMs();
  await context.storage.accounts.deleteExpired(nowMs);
  const history = await context.storage.history.prune(retention(nowMs, context.limits.windowSeconds), BATCH);
  await context.storage.webhooks.pruneDeliveries(DELIVERIES, BATCH);
  await context.storage.quotas.pruneMinutes(nowMs - QUOTA_MINUTES_MS, BATCH);
  return history >= BATCH;
}

function retention(nowMs: number, windowSeconds: number): Retention {
  return {
    samplesSinceMs: nowMs - Math.max(SAMPLES_MS, windowSeconds * 1_000 * (MONITOR_POINTS + 1)),
    bucketsSinceMs: Object.values(HISTORY_RANGES).map(({ bucketMs, points }) => ({
      bucketMs,
      sinceMs: nowMs - bucketMs * points * BUCKET_MARGIN,
    })),
    windowsSinceMs: nowMs - RETENTION_MS,
    maxWindows: MAX_WINDOWS,
    eventsSinceMs: nowMs - RETENTION_MS,
    maxEvents: MAX_EVENTS,
  };
}
