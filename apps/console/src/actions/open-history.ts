import { MONITOR_POINTS, type AlarmView, type MonitorEvent } from '@weir/protocol';
import { EventLog } from '../fleet/event-log.ts';
import type { Fleet, Moment } from '../fleet/fleet.ts';
import { FleetWatch } from '../fleet/fleet-watch.ts';
import { LimitTimeline } from '../fleet/limit-timeline.ts';
import { MonitorHistory } from '../fleet/monitor-history.ts';
import type { Stores } from '../ports/storage.ts';

/** Brings back what the monitor showed when the console stopped: samples, events, and the limit of the last windows. */
export async function openHistory(
  stores: Pick<Stores, 'history'>,
  fleet: Fleet,
  alarms: readonly AlarmView[],
  given: { windowMs: number; limitTps: number | null; setLimitTps: number | null; start: Moment },
): Promise<MonitorHistory> {
  const { windowMs, limitTps, setLimitTps, start } = given;
  const sinceMs = start.nowMs - windowMs * MONITOR_POINTS;
  const samples = await stores.history.samplesSince(sinceMs);
  const events = new EventLog(await stores.history.eventsSince(sinceMs));
  const last = samples.at(-1);
  const limits =
    last === undefined
      ? new LimitTimeline(windowMs, limitTps, setLimitTps)
      : new LimitTimeline(windowMs, last.limitTps, last.setLimitTps);
  limits.note(limitTps, start.steadyMs, setLimitTps);
  const agents = fleet.registered().map((agent) => ({
    agentId: agent.agentId,
    name: agent.name,
    online: fleet.isOnline(agent, start.steadyMs),
    holdoffUntilMs: agent.holdoffUntilMs,
  }));
  const watch = new FleetWatch(agents, alarms, start.nowMs);
  // A first start is no event: there is nothing on the chart that it could explain.
  const began: MonitorEvent[] = last === undefined ? [] : [{ kind: 'console-started', atMs: start.nowMs }];
  events.add(began);
  return new MonitorHistory(windowMs, samples, { limits, events, watch });
}
