import type { MonitorView } from '@weir/protocol';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient } from './console.ts';
import { pollEvery, useWindowMs } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** The monitor's figures and how long the console took to answer. */
export interface TimedMonitor {
  view: MonitorView;
  latencyMs: number;
}

/** The TPS Monitor, refreshed once per window. */
export function useMonitor(): UseQueryResult<TimedMonitor> {
  const windowMs = useWindowMs();
  return useQuery({
    queryKey: queryKeys.monitor,
    queryFn: async ({ signal }) => {
      const startedAt = performance.now();
      const view = await consoleClient.call('monitor', { signal });
      return { view, latencyMs: Math.round(performance.now() - startedAt) };
    },
    refetchInterval: pollEvery(windowMs),
  });
}
