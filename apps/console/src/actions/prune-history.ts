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
/** Rows of the history deleted in one go: a few milliseconds, so that no heartbeat waits for it. */
const BATCH = 500;
/** Rows of other kinds deleted in a minute; there are seldom any. */
const OTHERS = 5_000;
/** Messages to webhooks that are kept, besides those that wait. */
const DELIVERIES = 1_000;
/** The picture of a quota shows a day. */
const QUOTA_MINUTES_MS = 25 * HOUR_MS;

/** Deletes what is past its time or beyond its bound, in batches with a turn for others in between. */
export async function pruneHistory(context: ConsoleContext): Promise<void> {
  const nowMs = context.clock.nowMs();
  const { accounts, history, webhooks, quotas } = context.storage;
  await accounts.deleteExpired(nowMs);
  await webhooks.pruneDeliveries(DELIVERIES, OTHERS);
  await quotas.pruneMinutes(nowMs - QUOTA_MINUTES_MS, OTHERS);
  // Once: where the bounds lie is a look at half a million entries.
  const keep = await retention(context, nowMs);
  while ((await history.prune(keep, BATCH)) >= BATCH) await new Promise((resolve) => setImmediate(resolve));
}

async function retention({ storage, limits }: ConsoleContext, nowMs: number): Promise<Retention> {
  const { windowSeconds } = limits;
  const oldestMs = nowMs - RETENTION_MS;
  return {
    samplesSinceMs: nowMs - Math.max(SAMPLES_MS, windowSeconds * 1_000 * (MONITOR_POINTS + 1)),
    bucketsSinceMs: Object.values(HISTORY_RANGES).map(({ bucketMs, points }) => ({
      bucketMs,
      sinceMs: nowMs - bucketMs * points * BUCKET_MARGIN,
    })),
    windowsSinceMs: Math.max(oldestMs, await storage.history.newestSince('windows', MAX_WINDOWS)),
    eventsSinceMs: Math.max(oldestMs, await storage.history.newestSince('events', MAX_EVENTS)),
  };
}
