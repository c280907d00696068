import type { AlarmView } from '@weir/protocol';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { saveRule } from './remembered-alarms.ts';

/**
 * Notes that somebody has seen an alarm. The first one counts; acknowledging again changes nothing.
 * @throws ConsoleError not-found
 */
export async function acknowledgeAlarm(context: ConsoleContext, alarmId: string, actor: string): Promise<AlarmView> {
  return context.storage.transaction(async (stores) => {
    const alarm = await stores.alarms.get(alarmId);
    if (alarm === undefined) throw new ConsoleError('not-found', `There is no alarm ${alarmId}.`);
    if (alarm.acknowledgedBy !== null) return alarm;
    const nowMs = context.clock.nowMs();
    const remembered = context.alarms.acknowledged(alarmId, actor, nowMs);
    const acknowledged = { ...(remembered?.alarm ?? alarm), acknowledgedBy: actor, acknowledgedAtMs: nowMs };
    await stores.alarms.save(acknowledged);
    if (remembered !== null) await saveRule(stores, remembered);
    await audit(context, stores, {
      actor,
      action: 'alarm.acknowledge',
      subject: alarmId,
      detail: { code: alarm.code },
    });
    return acknowledged;
  });
}
