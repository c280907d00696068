import type { AlarmChange } from '../fleet/alarm-board.ts';
import type { Stores } from '../ports/storage.ts';
import { bodyOf } from '../webhooks/message.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Writes down the messages about what became of an alarm, one for each webhook. Part of the transaction that writes the alarm down:
 * an alarm that is known will be told, and one that is not is not, whenever the console ends.
 */
export async function queueAlarmMessages(
  context: Pick<ConsoleContext, 'clock' | 'random' | 'governing' | 'publicUrl'>,
  stores: Pick<Stores, 'webhooks'>,
  { type, alarm }: AlarmChange,
  utilizationPercent: number,
): Promise<void> {
  const nowMs = context.clock.nowMs();
  const globalLimitTps = context.governing.limitTps;
  for (const webhook of await stores.webhooks.all()) {
    if (type === 'fired' && !webhook.reminders) continue;
    const deliveryId = context.random.id('dlv');
    const consoleUrl = context.publicUrl;
    const news = { deliveryId, event: type, atMs: nowMs, alarm, utilizationPercent, globalLimitTps, consoleUrl };
    await stores.webhooks.addDelivery({
      deliveryId,
      webhookId: webhook.webhookId,
      alarmId: alarm.alarmId,
      event: type,
      body: bodyOf(webhook.format, news),
      createdAtMs: nowMs,
      state: 'waiting',
      attempts: 0,
      nextAttemptAtMs: nowMs,
      deliveredAtMs: null,
      problem: null,
    });
  }
}
