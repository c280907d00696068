import { ApiError } from '@weir/client';
import { ROLES, type ConsoleInfo, type Role, type SessionView } from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { queryKeys } from './query-keys.ts';

/** Who is logged in; null: nobody. */
export function useSession(): UseQueryResult<SessionView | null> {
  return useQuery({
    queryKey: queryKeys.session,
    queryFn: async ({ signal }) => {
      try {
        return await consoleClient.call('session', { signal });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'unauthenticated') return null;
        throw error;
      }
    },
    refetchInterval: (query) => (query.state.status === 'error' ? 5_000 : false),
  });
}

/** Logs in; the pages appear with the session. */
export function useLogin(): UseMutationResult<SessionView, Error, { username: string; password: string }> {
  return useMutation({
    mutationFn: (credentials) => consoleClient.call('login', { body: credentials }),
    onSuccess: (session) => queryClient.setQueryData(queryKeys.session, session),
  });
}

/** Logs out and forgets everything that was read. */
export function useLogout(): UseMutationResult<unknown, Error, void> {
  return useMutation({
    mutationFn: () => consoleClient.call('logout'),
    onSuccess: () => {
      // Not clear(): that would cut the shell off from the session before it could see that it has ended.
      queryClient.setQueryData(queryKeys.session, null);
      const kept: readonly unknown[] = [queryKeys.session[0], queryKeys.info[0]];
      queryClient.removeQueries({ predicate: ({ queryKey }) => !kept.includes(queryKey[0]) });
    },
  });
}

/** Whether the person logged in may do what needs `role`; each role includes the one before. */
export function useMay(role: Role): boolean {
  const session = useSession().data;
  return session !== null && session !== undefined && ROLES.indexOf(session.role) >= ROLES.indexOf(role);
}

/** Version and window length; never changes while a console runs. */
export function useInfo(): UseQueryResult<ConsoleInfo> {
  return useQuery({
    queryKey: queryKeys.info,
    queryFn: ({ signal }) => consoleClient.call('info', { signal }),
    staleTime: 10 * 60_000,
    refetchInterval: (query) => (query.state.status === 'error' ? 5_000 : false),
  });
}
