import { ALARM_RULES } from '@weir/governor';
import type { AlarmChange } from '../fleet/alarm-board.ts';
import type { ConsoleContext } from './context.ts';
import { queueAlarmMessages } from './queue-alarm-messages.ts';
import { saveRule } from './remembered-alarms.ts';
import { watchedBy } from './watched-percent.ts';

/**
 * Looks whether alarms fire or end. Heartbeats let them fire; the engine's own tick (`checkClear`) lets them clear too.
 * Without the limiter there is no limit to be near, so nothing fires, and at the next tick an alarm clears.
 */
export async function evaluateAlarms(context: ConsoleContext, { checkClear }: { checkClear: boolean }): Promise<void> {
  for (const observed of observeAlarms(context, checkClear, context.clock.nowMs())) await record(context, observed);
}

/** The same at a heartbeat: resolves when what changed is written down; undefined: nothing did, which is nearly always so. */
export function letAlarmsFire(context: ConsoleContext, nowMs: number): Promise<void> | undefined {
  const changes = observeAlarms(context, false, nowMs);
  if (changes.length === 0) return undefined;
  return (async () => {
    for (const observed of changes) await record(context, observed);
  })();
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

/** A heartbeat is answered also when an alarm cannot be written down: the log has it then. */
async function record(context: ConsoleContext, change: Observed): Promise<void> {
  const { type, alarm, remembered, percent } = change;
  context.log.warn({ alarm: alarm.code, event: type, utilizationPercent: percent }, alarm.title);
  try {
    await context.storage.transaction(async (stores) => {
      await stores.alarms.save(alarm);
      await saveRule(stores, remembered);
      await queueAlarmMessages(context, stores, change, percent);
    });
  } catch (error) {
    context.log.error({ alarm: alarm.code, event: type, error: String(error) }, 'an alarm could not be written down');
  }
}
