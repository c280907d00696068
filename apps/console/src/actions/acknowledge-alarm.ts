import type { AlarmView } from '@weir/protocol';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Notes that somebody has seen an alarm. The first one counts; acknowledging again changes nothing.
 * @throws ConsoleError not-found
 */
export async function acknowledgeAlarm(context: ConsoleContext, alarmId: string, actor: string): Promise<AlarmView> {
  const alarm = await context.storage.transaction(async (stores) => {
    const found = await stores.alarms.get(alarmId);
    if (found === undefined) throw new ConsoleError('not-found', `There is no alarm ${alarmId}.`);
    if (found.acknowledgedBy !== null) return found;
    const acknowledged = { ...found, acknowledgedBy: actor, acknowledgedAtMs: context.clock.nowMs() };
    await stores.alarms.save(acknowledged);
    await audit(context, stores, {
      actor,
      action: 'alarm.acknowledge',
      subject: alarmId,
      detail: { code: found.code },
    });
    return acknowledged;
  });
  context.alarms.put(alarm);
  return alarm;
}
