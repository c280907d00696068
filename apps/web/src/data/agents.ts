import type { AgentView, EnrolmentInfo } from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { pollEvery, useWindowMs } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** Longest time between two looks at the list, in ms: somebody who has just enrolled an agent waits for it to appear. */
const AGENTS_POLL_MS = 5_000;

export function useAgents(): UseQueryResult<readonly AgentView[]> {
  const windowMs = useWindowMs();
  return useQuery({
    queryKey: queryKeys.agents,
    queryFn: async ({ signal }) => (await consoleClient.call('agents', { signal })).agents,
    refetchInterval: pollEvery(Math.min(AGENTS_POLL_MS, windowMs)),
  });
}

/** @param allowed false: do not ask (only administrators may see the token) */
export function useEnrolment(allowed: boolean): UseQueryResult<EnrolmentInfo> {
  return useQuery({
    queryKey: queryKeys.enrolment,
    queryFn: ({ signal }) => consoleClient.call('enrolment', { signal }),
    enabled: allowed,
    staleTime: 60_000,
  });
}

export function useRevokeAgent(): UseMutationResult<AgentView, Error, string> {
  return useMutation({
    mutationFn: (agentId) => consoleClient.call('revokeAgent', { params: { agentId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.agents }),
  });
}
