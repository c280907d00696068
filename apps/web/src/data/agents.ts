import type { AgentTotals, AgentView, EnrolmentInfo } from '@weir/protocol';
import {
  keepPreviousData,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { listedAgents, type ListedAgents } from './agent-list.ts';
import { consoleClient, queryClient } from './console.ts';
import { pollEvery, useWindowMs } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** Longest time between two looks at the list, in ms: somebody who has just enrolled an agent waits for it to appear. */
const AGENTS_POLL_MS = 5_000;

/**
 * @param name only agents whose name or host contains this; empty: all, or of a very large fleet those that need a look first
 * @param revoked whether revoked agents are listed too
 */
export function useAgents(name: string, revoked: boolean): UseQueryResult<ListedAgents> {
  return useQuery({
    queryKey: queryKeys.agentRows(name, revoked),
    queryFn: async ({ signal }) => {
      const query = { revoked: revoked ? 'true' : 'false', ...(name !== '' && { name }) } as const;
      return listedAgents(await consoleClient.call('agents', { query, signal }));
    },
    refetchInterval: pollEvery(useAgentsPollMs()),
    placeholderData: keepPreviousData,
  });
}

/** How many agents there are, of each kind. */
export function useAgentTotals(): UseQueryResult<AgentTotals> {
  return useQuery({
    queryKey: queryKeys.agentTotals,
    queryFn: async ({ signal }) => {
      const query = { revoked: 'false', rows: 1 } as const;
      return listedAgents(await consoleClient.call('agents', { query, signal })).totals;
    },
    refetchInterval: pollEvery(useAgentsPollMs()),
  });
}

function useAgentsPollMs(): number {
  return Math.min(AGENTS_POLL_MS, useWindowMs());
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
