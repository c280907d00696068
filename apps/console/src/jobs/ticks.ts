import type { ConsoleContext } from '../actions/context.ts';
import { evaluateAlarms } from '../actions/evaluate-alarms.ts';
import { expireLeases } from '../actions/expire-leases.ts';
import { pruneHistory } from '../actions/prune-history.ts';
import { takeSample } from '../actions/take-sample.ts';
import { watchFleet } from '../actions/watch-fleet.ts';
import { writeBehind } from '../actions/write-behind.ts';
import type { Ticker } from './ticker.ts';

/** The alarm engine looks whether an alarm is over every 60 s. */
const ALARM_CHECK_MS = 60_000;
const WRITE_BEHIND_MS = 1_000;
const PRUNE_MS = 60_000;

/** Sets the console's background work going. */
export function startTicks(context: ConsoleContext, ticker: Ticker): void {
  const windowMs = context.limits.windowSeconds * 1_000;
  ticker.everyAligned('sample', windowMs, async () => {
    context.coordinator.tick(context.clock.steadyMs());
    await takeSample(context);
  });
  // Marks on the chart stand where things happened, also within a window.
  ticker.every('fleet-watch', Math.min(5_000, windowMs / 2), () => watchFleet(context));
  // A lease lapses after three windows; it should not take another whole one until somebody notices.
  ticker.every('leases', Math.min(5_000, windowMs / 4), () => expireLeases(context));
  ticker.every('alarms', ALARM_CHECK_MS, () => evaluateAlarms(context, { checkClear: true }));
  ticker.every('write-behind', WRITE_BEHIND_MS, () => writeBehind(context));
  ticker.every('prune', PRUNE_MS, async () => {
    // Batches until everything is gone, each in a turn of its own, so that heartbeats are answered in between.
    while (await pruneHistory(context)) await new Promise((resolve) => setImmediate(resolve));
  });
}
