import type { MonitorRow, MonitorView } from '@weir/protocol';
import { mbpsOf, type LiveAgent } from '../fleet/live-agent.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { utilizationPercent } from './utilization.ts';

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

/** The TPS Monitor: totals, one row per registered agent and the console's own, and the last 60 windows. */
export function readMonitor(context: ConsoleContext): MonitorView {
  const { nowMs, steadyMs } = momentOf(context);
  // Agents that went silent since the last tick are not counted.
  context.fleet.settle(steadyMs);
  const agents = context.fleet.registered();
  const allocations = new Map(context.coordinator.snapshot(steadyMs).map((agent) => [agent.id, agent.allocatedTps]));
  const rows = agents.map((agent) => rowOf(context, agent, allocations.get(agent.agentId) ?? 0));
  const { settings } = context.governor;
  return {
    generatedAtMs: nowMs,
    windowSeconds: context.limits.windowSeconds,
    limiterEnabled: settings.enabled,
    globalLimitTps: settings.globalLimitTps,
    totalActualTps: context.fleet.totalActualTps,
    utilizationPercent: utilizationPercent(context),
    totalMbps: rows.reduce((sum, row) => sum + row.actualMbps, 0),
    runningAgents: rows.filter((row) => row.status === 'running').length,
    registeredAgents: agents.length,
    rows: [...rows, CONSOLE_ROW],
    series: context.history.series(nowMs, agents),
    activeAlarms: context.alarms.active(),
  };
}

function rowOf(context: ConsoleContext, agent: LiveAgent, allocatedTps: number): MonitorRow {
  const { nowMs, steadyMs } = momentOf(context);
  const running = context.fleet.isRunning(agent, steadyMs);
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
