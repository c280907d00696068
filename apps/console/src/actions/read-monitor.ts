import { MAX_MONITOR_ROWS, MONITOR_POINTS, type MonitorRow, type MonitorView } from '@weir/protocol';
import { busiest } from '../fleet/busiest.ts';
import type { Moment } from '../fleet/fleet.ts';
import { mbpsOf, type LiveAgent } from '../fleet/live-agent.ts';
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
export function readMonitor(context: ConsoleContext, wanted: RowsWanted = {}): MonitorView {
  const moment = momentOf(context);
  const { fleet, history } = context;
  // Agents that went silent since the last tick are not counted.
  fleet.settle(moment.steadyMs);
  const { limitTps, percent } = utilizationOf(context);
  const { settings } = context.governor;
  const agents = fleet.registered();
  const matching = namedLike(agents, wanted.name);
  const listed = someOf(matching, wanted.rows ?? MAX_MONITOR_ROWS, (agent) => fleet.isRunning(agent, moment.steadyMs));
  const windowMs = context.limits.windowSeconds * 1_000;
  return {
    generatedAtMs: moment.nowMs,
    windowSeconds: context.limits.windowSeconds,
    limiterEnabled: settings.enabled,
    globalLimitTps: context.governing.limitTps,
    judgedLimitTps: limitTps ?? context.governing.limitTps,
    totalActualTps: fleet.totalActualTps,
    utilizationPercent: percent,
    ...countsOf(context, agents, moment),
    matchingAgents: matching.length,
    rows: [...listed.map((agent) => rowOf(context, agent, moment)), CONSOLE_ROW],
    series: history.series(moment.nowMs, agents),
    events: history.events.since(moment.nowMs - MONITOR_POINTS * windowMs),
    activeAlarms: context.alarms.active(),
  };
}

function namedLike(agents: readonly LiveAgent[], name: string | undefined): readonly LiveAgent[] {
  const wanted = name?.trim().toLocaleLowerCase() ?? '';
  return wanted === '' ? agents : agents.filter((agent) => agent.name.toLocaleLowerCase().includes(wanted));
}

/** All of them in their order, or the busiest where they are more than `max`. */
function someOf(
  agents: readonly LiveAgent[],
  max: number,
  isRunning: (agent: LiveAgent) => boolean,
): readonly LiveAgent[] {
  if (agents.length <= max) return agents;
  return busiest(agents, max, (agent) => (isRunning(agent) ? (agent.usage?.actualTps ?? 0) + 1 : 0));
}

function countsOf(
  { fleet }: Pick<ConsoleContext, 'fleet'>,
  agents: readonly LiveAgent[],
  { nowMs, steadyMs }: Moment,
): Pick<MonitorView, 'totalMbps' | 'runningAgents' | 'registeredAgents' | 'holdoffAgents' | 'unthrottledAgents'> {
  const counts = { totalMbps: 0, runningAgents: 0, holdoffAgents: 0, unthrottledAgents: 0 };
  for (const agent of agents) {
    if (agent.holdoffUntilMs !== null && agent.holdoffUntilMs > nowMs) counts.holdoffAgents += 1;
    if (!fleet.isOnline(agent, steadyMs)) continue;
    if (!agent.limiter) counts.unthrottledAgents += 1;
    if (agent.runningJobs === 0) continue;
    counts.runningAgents += 1;
    counts.totalMbps += mbpsOf(agent.usage);
  }
  return { ...counts, registeredAgents: agents.length };
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
