import type { GovernorSettings, VersionedGovernorSettings } from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { wasChangedMeanwhile } from './changed-meanwhile.ts';
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

/**
 * Saves settings that were made from what a page had loaded; what the console kept (it raises a limit below 100) replaces what the
 * page knew. Refused when somebody saved meanwhile: what is there now is loaded then.
 */
export function useSaveGovernorSettings(): UseMutationResult<
  VersionedGovernorSettings,
  Error,
  { settings: GovernorSettings; madeFrom: VersionedGovernorSettings }
> {
  return useMutation({
    mutationFn: ({ settings, madeFrom: { etag } }) =>
      consoleClient.call('saveGovernorSettings', {
        body: settings,
        query: etag === undefined ? {} : { ifMatch: etag },
      }),
    onError: async (error) => {
      if (wasChangedMeanwhile(error)) await queryClient.invalidateQueries({ queryKey: queryKeys.settings });
    },
    onSuccess: async (saved) => {
      queryClient.setQueryData(queryKeys.settings, saved);
      await queryClient.invalidateQueries({ queryKey: queryKeys.monitor });
    },
  });
}
