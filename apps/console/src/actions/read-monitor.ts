import { MAX_MONITOR_ROWS, MONITOR_POINTS, type MonitorRow, type MonitorView } from '@weir/protocol';
import type { Fleet, Moment } from '../fleet/fleet.ts';
import { mbpsOf, type LiveAgent } from '../fleet/live-agent.ts';
import { contains, Shortlist } from '../fleet/shortlist.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { utilizationOf } from './utilization.ts';

const CONSOLE_ROW: MonitorRow = {
  agentId: 'console',
  name: 'console',
  kind: 'console',
  status: 'idle',
  online: true,
  throttled: true,
  allocatedTps: 0,
  actualTps: 0,
  meanTps: 0,
  peakSecondTps: 0,
  efficiencyPercent: null,
  actualMbps: 0,
  parkedOps: 0,
  exhaustedMs: 0,
  windowNumber: 0,
  creditBudget: 0,
  chargedOps: 0,
  lastHeartbeatAtMs: null,
  holdoffUntilMs: null,
};

/** Which rows to list; the totals are always of the whole fleet. */
export interface RowsWanted {
  /** A part of the name, whatever its case; absent: all agents. */
  name?: string | undefined;
  /** Rows at most, the busiest first choice; default 2,000. */
  rows?: number;
}

/** The TPS Monitor: totals, one row per registered agent and the console's own, and the last 60 windows. */
export async function readMonitor(
  context: ConsoleContext,
  { name, rows = MAX_MONITOR_ROWS }: RowsWanted = {},
): Promise<MonitorView> {
  const moment = momentOf(context);
  const { fleet, history } = context;
  const counts = new FleetCounts(fleet, moment);
  const isWanted = contains(name);
  const listed = new Shortlist(rows);
  await fleet.review(moment.steadyMs, (agent) => {
    counts.add(agent);
    if (!isWanted(agent.name)) return;
    listed.add(agent, fleet.isRunning(agent, moment.steadyMs) ? (agent.usage?.actualTps ?? 0) + 1 : 0);
  });
  const { limitTps, percent } = utilizationOf(context);
  const { settings } = context.governor;
  const windowMs = context.limits.windowSeconds * 1_000;
  return {
    generatedAtMs: moment.nowMs,
    windowSeconds: context.limits.windowSeconds,
    limiterEnabled: settings.enabled,
    globalLimitTps: context.governing.limitTps,
    judgedLimitTps: limitTps ?? context.governing.limitTps,
    totalActualTps: fleet.totalActualTps,
    utilizationPercent: percent,
    ...counts.view,
    matchingAgents: listed.matching,
    rows: [...listed.agents.map((agent) => rowOf(context, agent, moment)), CONSOLE_ROW],
    series: history.series(moment.nowMs, {
      size: fleet.registeredSize,
      all: () => fleet.registered(),
      nameOf: (agentId) => nameIfRegistered(fleet.get(agentId)),
    }),
    events: history.events.since(moment.nowMs - MONITOR_POINTS * windowMs),
    activeAlarms: context.alarms.active(),
  };
}

function nameIfRegistered(agent: LiveAgent | undefined): string | undefined {
  return agent?.revoked === false ? agent.name : undefined;
}

type CountsView = Pick<
  MonitorView,
  'totalMbps' | 'runningAgents' | 'registeredAgents' | 'holdoffAgents' | 'unthrottledAgents'
>;

/** What the monitor says of the fleet as a whole. */
class FleetCounts {
  readonly #fleet: Fleet;
  readonly #moment: Moment;
  readonly view: CountsView = {
    totalMbps: 0,
    runningAgents: 0,
    registeredAgents: 0,
    holdoffAgents: 0,
    unthrottledAgents: 0,
  };

  constructor(fleet: Fleet, moment: Moment) {
    this.#fleet = fleet;
    this.#moment = moment;
  }

  add(agent: LiveAgent): void {
    const { view } = this;
    const { nowMs, steadyMs } = this.#moment;
    view.registeredAgents += 1;
    if (agent.holdoffUntilMs !== null && agent.holdoffUntilMs > nowMs) view.holdoffAgents += 1;
    if (!this.#fleet.isOnline(agent, steadyMs)) return;
    if (!agent.limiter) view.unthrottledAgents += 1;
    if (agent.runningJobs === 0) return;
    view.runningAgents += 1;
    view.totalMbps += mbpsOf(agent.usage);
  }
}

function rowOf(
  context: Pick<ConsoleContext, 'fleet' | 'coordinator'>,
  agent: LiveAgent,
  { nowMs, steadyMs }: Moment,
): MonitorRow {
  const running = context.fleet.isRunning(agent, steadyMs);
  const allocatedTps = context.coordinator.allocatedTps(agent.agentId);
  const usage = running ? agent.usage : null;
  const actualTps = usage?.actualTps ?? 0;
  return {
    agentId: agent.agentId,
    name: agent.name,
    kind: 'agent',
    status: running ? 'running' : 'idle',
    online: context.fleet.isOnline(agent, steadyMs),
    throttled: agent.limiter,
    allocatedTps,
    actualTps,
    meanTps: usage?.meanTps ?? 0,
    peakSecondTps: usage?.peakSecondTps ?? 0,
    efficiencyPercent: allocatedTps > 0 ? (actualTps / allocatedTps) * 100 : null,
    actualMbps: mbpsOf(usage),
    parkedOps: usage?.parkedOps ?? 0,
    exhaustedMs: usage?.exhaustedMs ?? 0,
    windowNumber: usage?.windowNumber ?? 0,
    creditBudget: usage?.creditBudget ?? 0,
    chargedOps: usage?.chargedOps ?? 0,
    lastHeartbeatAtMs: agent.lastHeartbeatAtMs,
    holdoffUntilMs: agent.holdoffUntilMs !== null && agent.holdoffUntilMs > nowMs ? agent.holdoffUntilMs : null,
  };
}
