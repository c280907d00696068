import type { AccountInput, AccountSaved, AccountView, OwnPasswordChange, Role, SessionView } from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { queryKeys } from './query-keys.ts';

export function useAccounts(): UseQueryResult<readonly AccountView[]> {
  return useQuery({
    queryKey: queryKeys.accounts,
    queryFn: async ({ signal }) => (await consoleClient.call('accounts', { signal })).accounts,
    refetchInterval: 30_000,
  });
}

/** Whoever changes the own account may have ended the own session: it is asked for again with the list. */
async function refresh(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: queryKeys.accounts }),
    queryClient.invalidateQueries({ queryKey: queryKeys.session }),
  ]);
}

export function useCreateAccount(): UseMutationResult<AccountSaved, Error, AccountInput> {
  return useMutation({
    mutationFn: (input) => consoleClient.call('createAccount', { body: input }),
    onSuccess: refresh,
  });
}

export function useChangeRole(): UseMutationResult<AccountView, Error, { username: string; role: Role }> {
  return useMutation({
    mutationFn: ({ username, role }) => consoleClient.call('changeRole', { params: { username }, body: { role } }),
    onSettled: refresh,
  });
}

/** Without a password the console makes one up. */
export function useResetPassword(): UseMutationResult<
  AccountSaved,
  Error,
  { username: string; password: string | undefined }
> {
  return useMutation({
    mutationFn: ({ username, password }) =>
      consoleClient.call('resetPassword', {
        params: { username },
        body: password === undefined ? {} : { password },
      }),
    onSuccess: refresh,
  });
}

export function useDeleteAccount(): UseMutationResult<unknown, Error, string> {
  return useMutation({
    mutationFn: (username) => consoleClient.call('deleteAccount', { params: { username } }),
    onSettled: refresh,
  });
}

export function useChangeOwnPassword(): UseMutationResult<SessionView, Error, OwnPasswordChange> {
  return useMutation({ mutationFn: (change) => consoleClient.call('changeOwnPassword', { body: change }) });
}
