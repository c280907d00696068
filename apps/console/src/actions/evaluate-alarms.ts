import { ALARM_RULES } from '@weir/governor';
import { acknowledged, type AlarmChange } from '../fleet/alarm-board.ts';
import type { Stores } from '../ports/storage.ts';
import type { ConsoleContext } from './context.ts';
import { queueAlarmMessages } from './queue-alarm-messages.ts';
import { saveRule } from './remembered-alarms.ts';
import { watchedBy } from './watched-percent.ts';

/**
 * Looks whether alarms fire or end. Heartbeats let them fire; the engine's own tick (`checkClear`) lets them clear too.
 * Without the limiter there is no limit to be near, so nothing fires, and at the next tick an alarm clears. Resolves when what
 * changed is written down.
 */
export async function evaluateAlarms(context: ConsoleContext, { checkClear }: { checkClear: boolean }): Promise<void> {
  await record(context, observeAlarms(context, checkClear, context.clock.nowMs()));
}

/** The same at a heartbeat, which does not wait until it is written down: an agent without a grant stands still. */
export function letAlarmsFire(context: ConsoleContext, nowMs: number): void {
  const changes = observeAlarms(context, false, nowMs);
  if (changes.length > 0) context.pending.add(record(context, changes));
}

/** What an observation of an alarm changed, and the percentage that was seen. */
type Observed = AlarmChange & { percent: number };

function observeAlarms(context: ConsoleContext, checkClear: boolean, nowMs: number): Observed[] {
  const observed: Observed[] = [];
  for (const rule of ALARM_RULES) {
    const { percent, thresholdPercent } = watchedBy(context, rule);
    const changes = context.alarms.observe(rule, { utilizationPercent: percent, thresholdPercent, nowMs, checkClear });
    for (const change of changes) observed.push({ ...change, percent });
  }
  return observed;
}

/**
 * Writes down what one observation changed, in one transaction: begun at once, so that what a later one saw comes later.
 * Never rejects: when it cannot be written, the log has it.
 */
async function record(context: ConsoleContext, changes: readonly Observed[]): Promise<void> {
  if (changes.length === 0) return;
  for (const { type, alarm, percent } of changes) {
    context.log.warn({ alarm: alarm.code, event: type, utilizationPercent: percent }, alarm.title);
  }
  try {
    await context.storage.transaction(async (stores) => {
      for (const change of changes) await write(context, stores, change);
    });
  } catch (error) {
    const events = changes.map(({ type, alarm }) => `${alarm.code} ${type}`).join(', ');
    context.log.error({ alarms: events, error: String(error) }, 'an alarm could not be written down');
  }
}

async function write(context: ConsoleContext, stores: Stores, change: Observed): Promise<void> {
  const { alarm, remembered, percent } = change;
  // Somebody may have acknowledged it since it was observed.
  const kept = await stores.alarms.get(alarm.alarmId);
  const by = kept === undefined || kept.acknowledgedBy === null ? alarm : kept;
  const { acknowledgedBy, acknowledgedAtMs } = by;
  await stores.alarms.save({ ...alarm, acknowledgedBy, acknowledgedAtMs });
  await saveRule(stores, remembered.alarm?.alarmId === alarm.alarmId ? acknowledged(remembered, by) : remembered);
  await queueAlarmMessages(context, stores, change, percent);
}
