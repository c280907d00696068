import type { DeliveryView, WebhookView } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';
import { webhookViews } from './webhook-view.ts';

/** All webhooks, by name. */
export async function listWebhooks(context: Pick<ConsoleContext, 'storage'>): Promise<WebhookView[]> {
  return webhookViews(context.storage, await context.storage.webhooks.all());
}

/** Messages to webhooks, newest first. */
export async function listDeliveries(context: Pick<ConsoleContext, 'storage'>, limit: number): Promise<DeliveryView[]> {
  const names = new Map((await context.storage.webhooks.all()).map(({ webhookId, name }) => [webhookId, name]));
  const deliveries = await context.storage.webhooks.deliveries(limit);
  return deliveries.map(({ body: _body, ...delivery }) => ({
    ...delivery,
    webhookName: names.get(delivery.webhookId) ?? '',
  }));
}
