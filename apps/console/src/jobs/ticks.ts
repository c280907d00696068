import { momentOf, type ConsoleContext } from '../actions/context.ts';
import { deliverMessages } from '../actions/deliver-messages.ts';
import { endQuotaMinute } from '../actions/end-quota-minute.ts';
import { evaluateAlarms } from '../actions/evaluate-alarms.ts';
import { expireLeases } from '../actions/expire-leases.ts';
import { pruneEnded } from '../actions/prune-ended.ts';
import { pruneHistory } from '../actions/prune-history.ts';
import { takeSample } from '../actions/take-sample.ts';
import { watchFleet } from '../actions/watch-fleet.ts';
import { writeBehind } from '../actions/write-behind.ts';
import type { QuotaMinute } from '../ports/quota-catalog.ts';
import type { Delivery } from '../ports/webhook-store.ts';
import type { Ticker } from './ticker.ts';

/** The alarm engine looks whether an alarm is over every 60 s. */
const ALARM_CHECK_MS = 60_000;
const WRITE_BEHIND_MS = 1_000;
const DELIVER_MS = 1_000;
const QUOTA_MINUTE_MS = 60_000;
const PRUNE_MS = 60_000;
/** What is kept for days may go some minutes late. */
const PRUNE_ENDED_MS = 5 * 60_000;

/** Sets the console's background work going. */
export function startTicks(context: ConsoleContext, ticker: Ticker): void {
  const windowMs = context.limits.windowSeconds * 1_000;
  ticker.everyAligned('sample', windowMs, async () => {
    const moment = momentOf(context);
    context.coordinator.tick(moment.steadyMs);
    context.governing.refresh(moment, context.fleet.takeSlowDowns());
    await takeSample(context);
    context.governing.noteUsed((context.fleet.totalMeanTps / context.governing.limitTps) * 100);
  });
  // Marks on the chart stand where things happened, also within a window.
  ticker.every('fleet-watch', Math.min(5_000, windowMs / 2), () => watchFleet(context));
  // A lease lapses after three windows; it should not take another whole one until somebody notices.
  ticker.every('leases', Math.min(5_000, windowMs / 4), () => expireLeases(context));
  ticker.every('alarms', ALARM_CHECK_MS, () => evaluateAlarms(context, { checkClear: true }));
  context.quotas.start();
  const unwritten: QuotaMinute[] = [];
  ticker.everyAligned('quota-minutes', QUOTA_MINUTE_MS, () => endQuotaMinute(context, unwritten));
  const unmarked = new Map<string, Delivery>();
  ticker.every('webhooks', DELIVER_MS, () => deliverMessages(context, unmarked));
  ticker.every('write-behind', WRITE_BEHIND_MS, () => writeBehind(context));
  ticker.every('prune', PRUNE_MS, () => pruneHistory(context));
  ticker.every('prune-ended', PRUNE_ENDED_MS, () => inBatches(() => pruneEnded(context)));
}

/** Until everything is gone, each batch in a turn of its own, so that heartbeats are answered in between. */
async function inBatches(batch: () => Promise<boolean>): Promise<void> {
  while (await batch()) await new Promise((resolve) => setImmediate(resolve));
}
