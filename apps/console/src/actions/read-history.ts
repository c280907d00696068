import { HISTORY_RANGES, type HistoryRange, type MonitorHistoryView } from '@weir/protocol';
import { mostTelling } from '../fleet/event-log.ts';
import { seriesOf, type NamedAgents } from '../fleet/monitor-history.ts';
import type { ConsoleContext } from './context.ts';
import type { HistoryBucket } from '../ports/history-store.ts';

/** The fleet over hours or days, from samples that were added up. The last point is the one that still grows. */
export async function readHistory(context: ConsoleContext, range: HistoryRange): Promise<MonitorHistoryView> {
  const { bucketMs, points } = HISTORY_RANGES[range];
  const lastMs = Math.floor(context.clock.nowMs() / bucketMs) * bucketMs;
  const sinceMs = lastMs - (points - 1) * bucketMs;
  const buckets = await context.storage.history.bucketsSince(bucketMs, sinceMs);
  const byTime = new Map(buckets.map((bucket) => [bucket.atMs, bucket]));
  const filled = Array.from({ length: points }, (_, index) => {
    const atMs = sinceMs + index * bucketMs;
    return byTime.get(atMs) ?? { atMs, limitTps: null, setLimitTps: null, totalTps: null, peakTps: null, agents: [] };
  });
  const events = await context.storage.history.eventsSince(sinceMs);
  return {
    range,
    bucketSeconds: bucketMs / 1_000,
    series: { ...seriesOf(filled, agentsIn(context, buckets)), agentCount: context.fleet.registeredSize },
    events: mostTelling(events),
  };
}

/** Agents that have a column: also those that were revoked since. */
function agentsIn({ fleet }: Pick<ConsoleContext, 'fleet'>, buckets: readonly HistoryBucket[]): NamedAgents {
  const ids = new Set(buckets.flatMap((bucket) => bucket.agents.map((agent) => agent.agentId)));
  const nameOf = (agentId: string): string => fleet.get(agentId)?.name ?? agentId;
  return { size: ids.size, all: () => Array.from(ids, (agentId) => ({ agentId, name: nameOf(agentId) })), nameOf };
}
