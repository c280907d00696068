import type { AlarmView } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';

/** Alarms, newest first. Of active ones memory knows more than the database, which is written when they fire or end. */
export async function listAlarms(context: ConsoleContext, limit: number): Promise<AlarmView[]> {
  const active = new Map(context.alarms.active().map((alarm) => [alarm.alarmId, alarm]));
  const stored = await context.storage.alarms.list(limit);
  return stored.map((alarm) => active.get(alarm.alarmId) ?? alarm);
}
