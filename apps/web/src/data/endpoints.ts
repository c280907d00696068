import type { EndpointInput, EndpointTestResult, EndpointView } from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { queryKeys } from './query-keys.ts';

export function useEndpoints(): UseQueryResult<readonly EndpointView[]> {
  return useQuery({
    queryKey: queryKeys.endpoints,
    queryFn: async ({ signal }) => (await consoleClient.call('endpoints', { signal })).endpoints,
    refetchInterval: 30_000,
  });
}

/** Buckets of an endpoint, as suggestions: none while they are not known, or may not be listed. */
export function useBuckets(endpointId: string): readonly string[] {
  const query = useQuery({
    queryKey: queryKeys.buckets(endpointId),
    queryFn: async ({ signal }) =>
      (await consoleClient.call('endpointBuckets', { params: { endpointId }, signal })).buckets ?? [],
    enabled: endpointId !== '',
    staleTime: 60_000,
    retry: false,
  });
  return query.data ?? [];
}

/** Asks the console to reach an endpoint without saving it. */
export function useTestEndpoint(): UseMutationResult<EndpointTestResult, Error, EndpointInput> {
  return useMutation({ mutationFn: (input) => consoleClient.call('testEndpoint', { body: input }) });
}

/** Adds an endpoint; the console tests it first and refuses one that does not work. */
export function useCreateEndpoint(): UseMutationResult<EndpointView, Error, EndpointInput> {
  return useMutation({
    mutationFn: (input) => consoleClient.call('createEndpoint', { body: input }),
    onSuccess: (created) => {
      queryClient.setQueryData<readonly EndpointView[]>(queryKeys.endpoints, (known) => [...(known ?? []), created]);
      return queryClient.invalidateQueries({ queryKey: queryKeys.endpoints });
    },
  });
}

export function useDeleteEndpoint(): UseMutationResult<unknown, Error, string> {
  return useMutation({
    mutationFn: (endpointId) => consoleClient.call('deleteEndpoint', { params: { endpointId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.endpoints }),
  });
}
