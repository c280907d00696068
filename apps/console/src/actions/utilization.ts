import { limitEvent } from '../fleet/fleet-watch.ts';
import type { JudgedUse } from '../fleet/judged-use.ts';
import { judgeByWindows, judgeByLimit } from '../fleet/judged-use.ts';
import type { LiveAgent } from '../fleet/live-agent.ts';
import { momentOf, type ConsoleContext } from './context.ts';

type Watched = Pick<ConsoleContext, 'fleet' | 'governor' | 'governing' | 'history' | 'clock'>;

/** A pass over a fleet of this many agents is too much for every heartbeat; then a result counts for a while. */
const LARGE_FLEET = 200;
/** Ten seconds with 100,000 agents: a pass over them takes some 10 ms, in which no heartbeat is answered. */
const REUSED_FOR_MS_PER_AGENT = 0.1;
/** … and for a second at least. */
const REUSED_FOR_AT_LEAST_MS = 1_000;

/**
 * How much of the budget is used. The total is of windows that have ended, so each agent's part is measured against the limit
 * that its own window was granted under: a limit that was lowered a moment ago makes no peak and raises no alarm.
 */
export function utilizationOf(context: Watched): JudgedUse {
  noteLimit(context);
  const { fleet, history, governor } = context;
  const { steadyMs } = momentOf(context);
  if (!governor.settings.enabled) return { limitTps: null, percent: 0 };
  if (!history.limits.unsettled(steadyMs)) return judgeByLimit(fleet.totalActualTps, history.limits.at(steadyMs));
  const { judged } = history;
  if (judged !== null && steadyMs < judged.untilMs) return judged.use;
  let agents = 0;
  const running = function* (): Generator<LiveAgent> {
    for (const agent of fleet.eachRegistered()) {
      agents += 1;
      if (fleet.isRunning(agent, steadyMs)) yield agent;
    }
  };
  const use = judgeByWindows(running(), history.limits);
  const reusedForMs = agents <= LARGE_FLEET ? 0 : Math.max(REUSED_FOR_AT_LEAST_MS, agents * REUSED_FOR_MS_PER_AGENT);
  history.judged = { untilMs: steadyMs + reusedForMs, use };
  return use;
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
  context.history.judged = null;
}
