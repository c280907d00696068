import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';
import { noWebhook } from './webhook-view.ts';

/**
 * Removes a webhook; messages that wait for it are dropped.
 * @throws ConsoleError not-found
 */
export async function deleteWebhook(context: ConsoleContext, webhookId: string, actor: string): Promise<void> {
  await context.storage.transaction(async (stores) => {
    const webhook = await stores.webhooks.get(webhookId);
    if (webhook === undefined) throw noWebhook(webhookId);
    await stores.webhooks.delete(webhookId);
    const detail = { name: webhook.name };
    await audit(context, stores, { actor, action: 'webhook.delete', subject: webhookId, detail });
  });
}
