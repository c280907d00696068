import type { AlarmView } from '@weir/protocol';
import { acknowledged } from '../fleet/alarm-board.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { saveRule } from './remembered-alarms.ts';

/**
 * Notes that somebody has seen an alarm. The first one counts; acknowledging again changes nothing.
 * @throws ConsoleError not-found
 */
export async function acknowledgeAlarm(context: ConsoleContext, alarmId: string, actor: string): Promise<AlarmView> {
  const acknowledgedAlarm = await context.storage.transaction(async (stores) => {
    const alarm = await stores.alarms.get(alarmId);
    if (alarm === undefined) throw new ConsoleError('not-found', `There is no alarm ${alarmId}.`);
    if (alarm.acknowledgedBy !== null) return alarm;
    const by = { acknowledgedBy: actor, acknowledgedAtMs: context.clock.nowMs() };
    const remembered = context.alarms.rememberedOf(alarmId);
    const seen = { ...(remembered?.alarm ?? alarm), ...by };
    await stores.alarms.save(seen);
    if (remembered !== null) await saveRule(stores, acknowledged(remembered, by));
    await audit(context, stores, {
      actor,
      action: 'alarm.acknowledge',
      subject: alarmId,
      detail: { code: alarm.code },
    });
    return seen;
  });
  // Not before it is written: a database that refuses it would leave the two with different tales.
  context.alarms.acknowledged(alarmId, acknowledgedAlarm);
  return acknowledgedAlarm;
}
