import type { WebhookView } from '@weir/protocol';
import type { StoredWebhook } from '../ports/webhook-store.ts';
import type { Stores } from '../ports/storage.ts';
import { ConsoleError } from './console-error.ts';

/** What the address of a webhook is bound to when it is sealed. */
export function webhookUrlOf(webhookId: string): string {
  return `webhook:${webhookId}:url`;
}

/** What the signing secret of a webhook is bound to when it is sealed. */
export function webhookSigningSecretOf(webhookId: string): string {
  return `webhook:${webhookId}:signing-secret`;
}

/** The refusal for a webhook that is not there. */
export function noWebhook(webhookId: string): ConsoleError {
  return new ConsoleError('not-found', `There is no webhook ${webhookId}.`);
}

/** Webhooks as pages see them: without path and secrets, with how their last messages went. */
export async function webhookViews(
  stores: Pick<Stores, 'webhooks'>,
  webhooks: readonly StoredWebhook[],
): Promise<WebhookView[]> {
  const [waiting, tried, delivered] = [
    await stores.webhooks.waiting(),
    await stores.webhooks.lastTried(),
    await stores.webhooks.lastDelivered(),
  ];
  return webhooks.map(({ webhookId, name, host, format, reminders, createdAtMs, createdBy }) => {
    const last = tried.get(webhookId);
    return {
      webhookId,
      name,
      host,
      format,
      reminders,
      createdAtMs,
      createdBy,
      waiting: waiting.get(webhookId) ?? 0,
      lastDeliveredAtMs: delivered.get(webhookId) ?? null,
      lastFailure: last === undefined || last.state === 'delivered' ? null : last.problem,
    };
  });
}
