import type { WebhookTestResult } from '@weir/protocol';
import { testBodyOf } from '../webhooks/message.ts';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';
import { sendToWebhook } from './send-to-webhook.ts';
import { noWebhook } from './webhook-view.ts';

/**
 * Sends a test message now; it is not repeated when it fails.
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
  const body = testBodyOf(webhook.format, deliveryId, context.clock.nowMs());
  const { problem, status } = await sendToWebhook(context, webhook, deliveryId, body);
  const detail = { name: webhook.name, ok: problem === null };
  await audit(context, context.storage, { actor, action: 'webhook.test', subject: webhookId, detail });
  return { ok: problem === null, status, problem, latencyMs: context.clock.steadyMs() - startMs };
}
