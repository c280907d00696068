import type { SendOutcome } from '../ports/webhook-sender.ts';
import type { StoredWebhook } from '../ports/webhook-store.ts';
import { headersOf } from '../webhooks/message.ts';
import type { ConsoleContext } from './context.ts';
import { webhookSigningSecretOf, webhookUrlOf } from './webhook-view.ts';

/** Sends one signed message. @returns null when it was received, else what was seen, in one sentence */
export async function sendToWebhook(
  context: Pick<ConsoleContext, 'secretBox' | 'webhookSender' | 'clock'>,
  webhook: StoredWebhook,
  deliveryId: string,
  body: string,
): Promise<{ problem: string | null; status: number | null }> {
  const url = context.secretBox.open(webhook.sealedUrl, webhookUrlOf(webhook.webhookId));
  const signingSecret = context.secretBox.open(webhook.sealedSigningSecret, webhookSigningSecretOf(webhook.webhookId));
  const headers = headersOf(deliveryId, body, signingSecret, context.clock.nowMs());
  return judged(await context.webhookSender.send(url, headers, body));
}

function judged(outcome: SendOutcome): { problem: string | null; status: number | null } {
  if ('problem' in outcome) return { problem: outcome.problem.slice(0, 300), status: null };
  const { status } = outcome;
  if (status >= 200 && status < 300) return { problem: null, status };
  const hint = status >= 300 && status < 400 ? ': redirects are not followed' : '';
  return { problem: `it answered with status ${status}${hint}`, status };
}
