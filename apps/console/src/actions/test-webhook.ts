import type { WebhookTestResult } from '@weir/protocol';
import { testBodyOf } from '../webhooks/message.ts';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';
import { sendToWebhook } from './send-to-webhook.ts';
import { noWebhook } from './webhook-view.ts';

/**
 * Sends a test message now; it is not repeated when it fails. That it was received is kept with the messages of alarms.
 * @throws ConsoleError not-found
 */
export async function testWebhook(
  context: ConsoleContext,
  webhookId: string,
  actor: string,
): Promise<WebhookTestResult> {
  const webhook = await context.storage.webhooks.get(webhookId);
  if (webhook === undefined) throw noWebhook(webhookId);
  const startMs = context.clock.steadyMs();
  const deliveryId = context.random.id('tst');
  const createdAtMs = context.clock.nowMs();
  const body = testBodyOf(webhook.format, deliveryId, createdAtMs);
  const { problem, status } = await sendToWebhook(context, webhook, deliveryId, body);
  const detail = { name: webhook.name, ok: problem === null };
  const latencyMs = context.clock.steadyMs() - startMs;
  await context.storage.transaction(async (stores) => {
    // Somebody may have removed it while the message was under way.
    if (problem === null && (await stores.webhooks.get(webhookId)) !== undefined) {
      const deliveredAtMs = context.clock.nowMs();
      await stores.webhooks.addReceivedTest({ deliveryId, webhookId, body, createdAtMs, deliveredAtMs });
    }
    await audit(context, stores, { actor, action: 'webhook.test', subject: webhookId, detail });
  });
  return { ok: problem === null, status, problem, latencyMs };
}
