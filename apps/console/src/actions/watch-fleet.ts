import type { MonitorEvent } from '@weir/protocol';
import { endOf } from '../fleet/fleet-watch.ts';
import type { Moment } from '../fleet/fleet.ts';
import { momentOf, type ConsoleContext } from './context.ts';

/** Notices what has happened to the fleet since the last look, for the marks on the chart, and writes it down. */
export async function watchFleet(context: ConsoleContext): Promise<void> {
  const { nowMs, steadyMs } = momentOf(context);
  const { watch, events } = context.history;
  events.add(await lookAtAgents(context, { nowMs, steadyMs }));
  const { raised, gone } = watch.alarms(context.alarms.active());
  events.add(raised);
  events.add(gone.map((alarm) => endOf(context.alarms.ended(alarm.alarmId) ?? alarm, nowMs)));
  await writeEvents(context);
}

async function writeEvents(context: ConsoleContext): Promise<void> {
  const unwritten = context.history.events.takeUnwritten();
  if (unwritten.length === 0) return;
  try {
    await context.storage.history.addEvents(unwritten);
  } catch (error) {
    context.history.events.unwrittenAgain(unwritten);
    throw error;
  }
}

async function lookAtAgents({ fleet, history }: ConsoleContext, { nowMs, steadyMs }: Moment): Promise<MonitorEvent[]> {
  const look = history.watch.look(nowMs);
  await fleet.review(steadyMs, (agent) => {
    const { agentId, name, holdoffUntilMs } = agent;
    look.see({ agentId, name, online: fleet.isOnline(agent, steadyMs), holdoffUntilMs });
  });
  return look.end();
}
