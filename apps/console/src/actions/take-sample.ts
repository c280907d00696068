import { HISTORY_RANGES, MAX_SERIES_AGENTS } from '@weir/protocol';
import type { Sample } from '../ports/history-store.ts';
import { busiest } from '../fleet/busiest.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { mbpsOf, type LiveAgent } from '../fleet/live-agent.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { utilizationOf } from './utilization.ts';

const BUCKETS_MS = Object.values(HISTORY_RANGES).map(({ bucketMs }) => bucketMs);

const LARGE_FLEET = 10_000;

/**
 * Writes down what the fleet does now: one point of the monitor's chart, with the limit that the reported windows ran under.
 * Agents that are away have no value; of a large fleet only the busiest have one of their own.
 */
export async function takeSample(context: ConsoleContext): Promise<void> {
  const { nowMs, steadyMs } = momentOf(context);
  const { fleet } = context;
  fleet.settle(steadyMs);
  // Two passes over a large fleet, some 15 ms each: heartbeats are answered in between.
  if (fleet.size > LARGE_FLEET) await new Promise((resolve) => setImmediate(resolve));
  const reportOf = (agent: LiveAgent): LiveAgent['usage'] => (fleet.isRunning(agent, steadyMs) ? agent.usage : null);
  const shown = busiest(online(fleet, steadyMs), MAX_SERIES_AGENTS, (agent) => reportOf(agent)?.actualTps ?? 0);
  const { limitTps } = utilizationOf(context);
  const sample: Sample = {
    atMs: nowMs,
    limitTps,
    setLimitTps: context.history.limits.setFor(limitTps),
    totalTps: fleet.totalActualTps,
    agents: shown.map((agent) => ({
      agentId: agent.agentId,
      actualTps: reportOf(agent)?.actualTps ?? 0,
      allocatedTps: context.coordinator.allocatedTps(agent.agentId),
      mbps: mbpsOf(reportOf(agent)),
    })),
  };
  context.history.add(sample);
  await context.storage.transaction((stores) => stores.history.addSample(sample, BUCKETS_MS));
}

function* online(fleet: Fleet, steadyMs: number): Generator<LiveAgent> {
  for (const agent of fleet.eachRegistered()) if (fleet.isOnline(agent, steadyMs)) yield agent;
}
