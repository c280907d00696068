import type {
  AlarmRuleView,
  DeliveryView,
  WebhookCreated,
  WebhookInput,
  WebhookTestResult,
  WebhookView,
} from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { pollEvery, useWindowMs } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** Messages listed. */
const SHOWN_DELIVERIES = 50;
const POLL_MS = 10_000;

/** The alarm table, with the values that it looks at. */
export function useAlarmRules(): UseQueryResult<readonly AlarmRuleView[]> {
  const windowMs = useWindowMs();
  return useQuery({
    queryKey: queryKeys.alarmRules,
    queryFn: async ({ signal }) => (await consoleClient.call('alarmRules', { signal })).rules,
    refetchInterval: pollEvery(windowMs),
  });
}

export function useWebhooks(): UseQueryResult<readonly WebhookView[]> {
  return useQuery({
    queryKey: queryKeys.webhooks,
    queryFn: async ({ signal }) => (await consoleClient.call('webhooks', { signal })).webhooks,
    refetchInterval: pollEvery(POLL_MS),
  });
}

/** Messages to webhooks, newest first. */
export function useDeliveries(): UseQueryResult<readonly DeliveryView[]> {
  return useQuery({
    queryKey: queryKeys.deliveries,
    queryFn: async ({ signal }) =>
      (await consoleClient.call('deliveries', { query: { limit: SHOWN_DELIVERIES }, signal })).deliveries,
    refetchInterval: pollEvery(POLL_MS),
  });
}

export function useCreateWebhook(): UseMutationResult<WebhookCreated, Error, WebhookInput> {
  return useMutation({
    mutationFn: (input) => consoleClient.call('createWebhook', { body: input }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.webhooks }),
  });
}

export function useDeleteWebhook(): UseMutationResult<unknown, Error, string> {
  return useMutation({
    mutationFn: (webhookId) => consoleClient.call('deleteWebhook', { params: { webhookId } }),
    onSettled: () =>
      // Messages that waited for it are gone with it.
      Promise.all(
        [queryKeys.webhooks, queryKeys.deliveries].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
}

/** Sends a test message; resolves when it was received, or not. */
export function useTestWebhook(): UseMutationResult<WebhookTestResult, Error, string> {
  return useMutation({
    mutationFn: (webhookId) => consoleClient.call('testWebhook', { params: { webhookId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.webhooks }),
  });
}
