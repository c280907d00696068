import type { AlarmView } from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { pollEvery, useWindowMs } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** Alarms on the history page; older ones stay in the console. */
const SHOWN_ALARMS = 200;

/** Alarms, newest first. The shell polls them for its banner, which also tells whether the console still answers. */
export function useAlarms(): UseQueryResult<readonly AlarmView[]> {
  const windowMs = useWindowMs();
  return useQuery({
    queryKey: queryKeys.alarms,
    queryFn: async ({ signal }) =>
      (await consoleClient.call('alarms', { query: { limit: SHOWN_ALARMS }, signal })).alarms,
    refetchInterval: pollEvery(windowMs),
  });
}

export function useAcknowledgeAlarm(): UseMutationResult<AlarmView, Error, string> {
  return useMutation({
    mutationFn: (alarmId) => consoleClient.call('acknowledgeAlarm', { params: { alarmId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.alarms }),
  });
}
