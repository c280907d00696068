import { HISTORY_RANGES, MAX_SERIES_AGENTS } from '@weir/protocol';
import type { Sample } from '../ports/history-store.ts';
import { Busiest } from '../fleet/busiest.ts';
import { mbpsOf, type LiveAgent } from '../fleet/live-agent.ts';
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
  const usageOf = (agent: LiveAgent): LiveAgent['usage'] => (fleet.isRunning(agent, steadyMs) ? agent.usage : null);
  const busiest = new Busiest<LiveAgent>(MAX_SERIES_AGENTS);
  await fleet.review(steadyMs, (agent) => {
    if (fleet.isOnline(agent, steadyMs)) busiest.add(agent, usageOf(agent)?.actualTps ?? 0);
  });
  const { limitTps } = utilizationOf(context);
  const sample: Sample = {
    atMs: nowMs,
    limitTps,
    setLimitTps: context.history.limits.setFor(limitTps),
    totalTps: fleet.totalActualTps,
    agents: busiest.list.map((agent) => ({
      agentId: agent.agentId,
      actualTps: usageOf(agent)?.actualTps ?? 0,
      allocatedTps: context.coordinator.allocatedTps(agent.agentId),
      mbps: mbpsOf(usageOf(agent)),
    })),
  };
  context.history.add(sample);
  await context.storage.transaction((stores) => stores.history.addSample(sample, BUCKETS_MS));
}
