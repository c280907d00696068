import type { WatchedAgent } from '../fleet/fleet-watch.ts';
import { endOf } from '../fleet/fleet-watch.ts';
import { momentOf, type ConsoleContext } from './context.ts';

/** Notices what has happened to the fleet since the last look, for the marks on the chart, and writes it down. */
export async function watchFleet(context: ConsoleContext): Promise<void> {
  const { nowMs, steadyMs } = momentOf(context);
  const { watch, events } = context.history;
  events.add(watch.agents(watchedAgents(context, steadyMs), nowMs));
  const { raised, gone } = watch.alarms(context.alarms.active());
  events.add(raised);
  for (const alarm of gone) events.add([endOf((await context.storage.alarms.get(alarm.alarmId)) ?? alarm, nowMs)]);
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

function watchedAgents(context: Pick<ConsoleContext, 'fleet'>, steadyMs: number): WatchedAgent[] {
  return context.fleet.registered().map((agent) => ({
    agentId: agent.agentId,
    name: agent.name,
    online: context.fleet.isOnline(agent, steadyMs),
    holdoffUntilMs: agent.holdoffUntilMs,
  }));
}
