import type { Delivery } from '../ports/webhook-store.ts';
import { nextAttemptAt } from '../webhooks/message.ts';
import type { ConsoleContext } from './context.ts';
import { sendToWebhook } from './send-to-webhook.ts';

/**
 * Sends the messages that are due, those to different webhooks at once, those to one in their order.
 *
 *   waiting ── 2xx ──▶ delivered
 *   waiting ── anything else ──▶ waiting, later each time ── a day after it was made ──▶ given-up
 *
 * A message is marked when its answer has come. A console that dies in between sends it again after its restart, under
 * the same `weir-delivery`.
 */
export async function deliverMessages(context: ConsoleContext): Promise<void> {
  for (;;) {
    const due = await context.storage.webhooks.due(context.clock.nowMs());
    const outcomes = await Promise.all(due.map((delivery) => attempt(context, delivery)));
    // What waited behind a message that has gone is due now.
    if (!outcomes.includes('delivered')) return;
  }
}

async function attempt(context: ConsoleContext, delivery: Delivery): Promise<Delivery['state']> {
  const webhook = await context.storage.webhooks.get(delivery.webhookId);
  if (webhook === undefined) return 'given-up';
  const { problem } = await sendToWebhook(context, webhook, delivery.deliveryId, delivery.body);
  const nowMs = context.clock.nowMs();
  const attempts = delivery.attempts + 1;
  const next = problem === null ? null : nextAttemptAt(attempts, delivery.createdAtMs, nowMs);
  const state = problem === null ? 'delivered' : next === null ? 'given-up' : 'waiting';
  const deliveredAtMs = problem === null ? nowMs : null;
  await context.storage.webhooks.saveDelivery({
    ...delivery,
    attempts,
    state,
    nextAttemptAtMs: next,
    deliveredAtMs,
    problem,
  });
  if (problem !== null) {
    const fields = { webhook: webhook.name, deliveryId: delivery.deliveryId, attempts, problem };
    context.log.warn(
      fields,
      state === 'waiting' ? 'a webhook was not reached; it will be tried again' : 'a message was given up',
    );
  }
  return state;
}
