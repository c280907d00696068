import { HISTORY_RANGES, MAX_SERIES_AGENTS } from '@weir/protocol';
import type { Sample } from '../ports/history-store.ts';
import { busiest } from '../fleet/busiest.ts';
import { mbpsOf } from '../fleet/live-agent.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { utilizationOf } from './utilization.ts';

const BUCKETS_MS = Object.values(HISTORY_RANGES).map(({ bucketMs }) => bucketMs);

/**
 * Writes down what the fleet does now: one point of the monitor's chart, with the limit that the reported windows ran under.
 * Agents that are away have no value; of a large fleet only the busiest have one of their own.
 */
export async function takeSample(context: ConsoleContext): Promise<void> {
  const { nowMs, steadyMs } = momentOf(context);
  const { fleet } = context;
  fleet.settle(steadyMs);
  const allocations = new Map(context.coordinator.snapshot(steadyMs).map((agent) => [agent.id, agent.allocatedTps]));
  const online = fleet.registered().filter((agent) => fleet.isOnline(agent, steadyMs));
  const doing = online.map((agent) => {
    const usage = fleet.isRunning(agent, steadyMs) ? agent.usage : null;
    return {
      agentId: agent.agentId,
      actualTps: usage?.actualTps ?? 0,
      allocatedTps: allocations.get(agent.agentId) ?? 0,
      mbps: mbpsOf(usage),
    };
  });
  const { limitTps } = utilizationOf(context);
  const sample: Sample = {
    atMs: nowMs,
    limitTps,
    setLimitTps: context.history.limits.setFor(limitTps),
    totalTps: fleet.totalActualTps,
    agents: busiest(doing, MAX_SERIES_AGENTS, (agent) => agent.actualTps),
  };
  context.history.add(sample);
  await context.storage.transaction((stores) => stores.history.addSample(sample, BUCKETS_MS));
}
