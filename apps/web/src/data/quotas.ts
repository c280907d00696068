import type {
  AuditRunInput,
  AuditRunView,
  QuotaInput,
  QuotaStoreInput,
  QuotaStoreTestResult,
  QuotaStoreView,
  QuotaUsage,
  QuotaView,
  RepairAnswer,
  RepairRequest,
  TakeResult,
} from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { wasChangedMeanwhile } from './changed-meanwhile.ts';
import { consoleClient, queryClient } from './console.ts';
import { pollEvery } from './polling.ts';
import { queryKeys } from './query-keys.ts';

const POLL_MS = 15_000;
/** While an audit runs. */
const LIVE_POLL_MS = 1_000;

export function useQuotas(): UseQueryResult<readonly QuotaView[]> {
  return useQuery({
    queryKey: queryKeys.quotas,
    queryFn: async ({ signal }) => (await consoleClient.call('quotas', { signal })).quotas,
    refetchInterval: pollEvery(POLL_MS),
  });
}

export function useQuotaUsage(definitionId: string): UseQueryResult<QuotaUsage> {
  return useQuery({
    queryKey: queryKeys.quotaUsage(definitionId),
    queryFn: ({ signal }) => consoleClient.call('quotaUsage', { params: { definitionId }, signal }),
    refetchInterval: pollEvery(POLL_MS),
  });
}

export function useQuotaStores(): UseQueryResult<readonly QuotaStoreView[]> {
  return useQuery({
    queryKey: queryKeys.quotaStores,
    queryFn: async ({ signal }) => (await consoleClient.call('quotaStores', { signal })).stores,
    refetchInterval: pollEvery(POLL_MS),
  });
}

const refreshQuotas = (): Promise<void> => queryClient.invalidateQueries({ queryKey: queryKeys.quotas });

async function refreshStores(): Promise<void> {
  await Promise.all([refreshQuotas(), queryClient.invalidateQueries({ queryKey: queryKeys.quotaStores })]);
}

/**
 * Defines a quota, or one anew that was made from what a page had loaded. Refused when somebody changed it meanwhile: what is there
 * now is loaded then.
 */
export function useSaveQuota(): UseMutationResult<QuotaView, Error, { input: QuotaInput; madeFrom: QuotaView | null }> {
  return useMutation({
    mutationFn: ({ input, madeFrom }) => {
      if (madeFrom === null) return consoleClient.call('createQuota', { body: input });
      const { definitionId, etag } = madeFrom;
      const query = etag === undefined ? {} : { ifMatch: etag };
      return consoleClient.call('changeQuota', { params: { definitionId }, query, body: input });
    },
    onSuccess: refreshStores,
    onError: async (error) => {
      if (wasChangedMeanwhile(error)) await refreshQuotas();
    },
  });
}

export function useDeleteQuota(): UseMutationResult<unknown, Error, string> {
  return useMutation({
    mutationFn: (definitionId) => consoleClient.call('deleteQuota', { params: { definitionId } }),
    onSettled: refreshStores,
  });
}

export function useTakeQuota(
  definitionId: string,
): UseMutationResult<TakeResult, Error, { subject: string; cost: number }> {
  return useMutation({
    mutationFn: (body) => consoleClient.call('takeQuota', { params: { definitionId }, body }),
    onSuccess: refreshQuotas,
  });
}

export function useResetSubject(definitionId: string): UseMutationResult<unknown, Error, string> {
  return useMutation({
    mutationFn: (subject) => consoleClient.call('resetSubject', { params: { definitionId }, body: { subject } }),
    onSettled: refreshQuotas,
  });
}

/** Asks the console to reach a store without saving it. */
export function useTestQuotaStore(): UseMutationResult<QuotaStoreTestResult, Error, QuotaStoreInput> {
  return useMutation({ mutationFn: (input) => consoleClient.call('testQuotaStore', { body: input }) });
}

export function useCreateQuotaStore(): UseMutationResult<QuotaStoreView, Error, QuotaStoreInput> {
  return useMutation({
    mutationFn: (input) => consoleClient.call('createQuotaStore', { body: input }),
    onSuccess: refreshStores,
  });
}

export function useDeleteQuotaStore(): UseMutationResult<unknown, Error, string> {
  return useMutation({
    mutationFn: (storeId) => consoleClient.call('deleteQuotaStore', { params: { storeId } }),
    onSettled: refreshStores,
  });
}

/** Whether an audit changes by itself. */
export function isRunning(audit: Pick<AuditRunView, 'state'>): boolean {
  return audit.state === 'listing' || audit.state === 'fixing';
}

export function useQuotaAudits(): UseQueryResult<readonly AuditRunView[]> {
  return useQuery({
    queryKey: queryKeys.quotaAudits,
    queryFn: async ({ signal }) => (await consoleClient.call('quotaAudits', { signal })).audits,
    refetchInterval: (query) => pollEvery(query.state.data?.some(isRunning) === true ? LIVE_POLL_MS : POLL_MS)(query),
  });
}

export function useQuotaAudit(auditId: string): UseQueryResult<AuditRunView> {
  return useQuery({
    queryKey: queryKeys.quotaAudit(auditId),
    queryFn: ({ signal }) => consoleClient.call('quotaAudit', { params: { auditId }, signal }),
    refetchInterval: (query) =>
      pollEvery(query.state.data !== undefined && isRunning(query.state.data) ? LIVE_POLL_MS : POLL_MS)(query),
  });
}

function keepAudit(audit: AuditRunView): Promise<void> {
  queryClient.setQueryData(queryKeys.quotaAudit(audit.auditId), audit);
  return queryClient.invalidateQueries({ queryKey: queryKeys.quotaAudits });
}

export function useStartQuotaAudit(): UseMutationResult<AuditRunView, Error, AuditRunInput> {
  return useMutation({
    mutationFn: (input) => consoleClient.call('startQuotaAudit', { body: input }),
    onSuccess: keepAudit,
  });
}

export function useStopQuotaAudit(): UseMutationResult<AuditRunView, Error, string> {
  return useMutation({
    mutationFn: (auditId) => consoleClient.call('stopQuotaAudit', { params: { auditId } }),
    onSuccess: keepAudit,
  });
}

/** Plans the repairs of an audit, or makes them. */
export function useRepairQuotaAudit(auditId: string): UseMutationResult<RepairAnswer, Error, RepairRequest> {
  return useMutation({
    mutationFn: (request) => consoleClient.call('repairQuotaAudit', { params: { auditId }, body: request }),
    onSuccess: ({ audit }) => keepAudit(audit),
  });
}
