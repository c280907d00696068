import { limitEvent } from '../fleet/fleet-watch.ts';
import type { JudgedUse } from '../fleet/judged-use.ts';
import { judgeByLimit } from '../fleet/judged-use.ts';
import type { LiveAgent } from '../fleet/live-agent.ts';
import type { ConsoleContext } from './context.ts';

type Watched = Pick<ConsoleContext, 'fleet' | 'governor' | 'governing' | 'history' | 'clock'>;

/**
 * How much of the budget is used. The total is of windows that have ended, so each agent's part is measured against the limit
 * that its own window was granted under: a limit that was lowered a moment ago makes no peak and raises no alarm.
 */
export function utilizationOf(context: Watched): JudgedUse {
  noteLimit(context);
  const { fleet, history, governor, clock } = context;
  const steadyMs = clock.steadyMs();
  if (!governor.settings.enabled) return { limitTps: null, percent: 0 };
  if (!history.limits.unsettled(steadyMs)) return judgeByLimit(fleet.totalActualTps, history.limits.at(steadyMs));
  const counts = (agent: LiveAgent): boolean => fleet.isRunning(agent, steadyMs);
  return history.judgement.use({ agents: () => fleet.eachRegistered(), counts }, history.limits, steadyMs);
}

/** `utilizationOf`, the percentage alone. */
export function utilizationPercent(context: Watched): number {
  return utilizationOf(context).percent;
}

/** Notices when the limit in force is another one than before. */
function noteLimit(context: Watched): void {
  const limitTps = context.governing.enforcedTps;
  const { enforcedSetTps } = context.governing;
  const changed = context.history.limits.note(limitTps, context.clock.steadyMs(), enforcedSetTps);
  if (changed === null) return;
  context.history.events.add([limitEvent(changed.before, limitTps, context.clock.nowMs())]);
  context.history.judgement.forget();
}
