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
 * the same `weir-delivery`. While marks cannot be written nothing more is sent: it would be the same again each second.
 *
 * @param unmarked what was sent and could not be marked, by webhook: kept from one call to the next
 */
export async function deliverMessages(context: ConsoleContext, unmarked: Map<string, Delivery>): Promise<void> {
  for (const delivery of unmarked.values()) await mark(context, delivery, unmarked);
  for (;;) {
    const due = await context.storage.webhooks.due(context.clock.nowMs());
    const attempts = await Promise.allSettled(due.map((delivery) => attempt(context, delivery, unmarked)));
    // Each to its end: one that goes on after this has failed would be sent beside the next one.
    for (const made of attempts) if (made.status === 'rejected') throw made.reason;
    // What waited behind a message that has gone is due now.
    if (!attempts.some((made) => made.status === 'fulfilled' && made.value === 'delivered')) return;
  }
}

async function mark(context: ConsoleContext, delivery: Delivery, unmarked: Map<string, Delivery>): Promise<void> {
  unmarked.set(delivery.webhookId, delivery);
  await context.storage.webhooks.saveDelivery(delivery);
  unmarked.delete(delivery.webhookId);
}

async function attempt(
  context: ConsoleContext,
  delivery: Delivery,
  unmarked: Map<string, Delivery>,
): Promise<Delivery['state']> {
  const webhook = await context.storage.webhooks.get(delivery.webhookId);
  if (webhook === undefined) return 'given-up';
  const { problem } = await sendToWebhook(context, webhook, delivery.deliveryId, delivery.body);
  const nowMs = context.clock.nowMs();
  const attempts = delivery.attempts + 1;
  const next = problem === null ? null : nextAttemptAt(attempts, delivery.createdAtMs, nowMs);
  const state = problem === null ? 'delivered' : next === null ? 'given-up' : 'waiting';
  const deliveredAtMs = problem === null ? nowMs : null;
  const marked = { ...delivery, attempts, state, nextAttemptAtMs: next, deliveredAtMs, problem } as const;
  await mark(context, marked, unmarked);
  if (problem !== null) {
    const fields = { webhook: webhook.name, deliveryId: delivery.deliveryId, attempts, problem };
    context.log.warn(
      fields,
      state === 'waiting' ? 'a webhook was not reached; it will be tried again' : 'a message was given up',
    );
  }
  return state;
}
