import type { HistoryRange, MonitorHistoryView, MonitorView } from '@weir/protocol';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient } from './console.ts';
import { pollEvery, useWindowMs } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** The monitor's figures and how long the console took to answer. */
export interface TimedMonitor {
  view: MonitorView;
  latencyMs: number;
}

/** Longest time between two looks at hours or days, in ms: their last point grows with each sample. */
const HISTORY_POLL_MS = 30_000;

/**
 * The TPS Monitor, refreshed once per window.
 * @param name only rows of agents whose name contains this; empty: all, or the busiest of a very large fleet
 */
export function useMonitor(name = ''): UseQueryResult<TimedMonitor> {
  const windowMs = useWindowMs();
  return useQuery({
    queryKey: queryKeys.monitorRows(name),
    queryFn: async ({ signal }) => {
      const startedAt = performance.now();
      const view = await consoleClient.call('monitor', { query: name === '' ? {} : { name }, signal });
      return { view, latencyMs: Math.round(performance.now() - startedAt) };
    },
    refetchInterval: pollEvery(windowMs),
    placeholderData: keepPreviousData,
  });
}

/** The fleet over hours or days; null: not asked for. */
export function useMonitorHistory(range: HistoryRange | null): UseQueryResult<MonitorHistoryView> {
  const windowMs = useWindowMs();
  return useQuery({
    queryKey: queryKeys.monitorHistory(range ?? ''),
    queryFn: ({ signal }) => consoleClient.call('monitorHistory', { query: { range: range ?? '6h' }, signal }),
    enabled: range !== null,
    refetchInterval: pollEvery(Math.max(windowMs, HISTORY_POLL_MS)),
  });
}
