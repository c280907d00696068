import type { GovernorSettings, VersionedGovernorSettings } from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { pollEvery, useWindowMs } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** Governor settings; polled, because whether limiting is on decides what the navigation shows. */
export function useGovernorSettings(): UseQueryResult<VersionedGovernorSettings> {
  const windowMs = useWindowMs();
  return useQuery({
    queryKey: queryKeys.settings,
    queryFn: ({ signal }) => consoleClient.call('governorSettings', { signal }),
    refetchInterval: pollEvery(windowMs),
  });
}

/** Saves the settings; what the console kept (it raises a limit below 100) replaces what the page knew. */
export function useSaveGovernorSettings(): UseMutationResult<VersionedGovernorSettings, Error, GovernorSettings> {
  return useMutation({
    mutationFn: (settings) => consoleClient.call('saveGovernorSettings', { body: settings }),
    onSuccess: async (saved) => {
      queryClient.setQueryData(queryKeys.settings, saved);
      await queryClient.invalidateQueries({ queryKey: queryKeys.monitor });
    },
  });
}
