import type { Sample } from '../ports/history-store.ts';
import { mbpsOf } from '../fleet/live-agent.ts';
import { momentOf, type ConsoleContext } from './context.ts';

/** Writes down what the fleet does now: one point of the monitor's chart. Agents that are away have no value. */
export async function takeSample(context: ConsoleContext): Promise<void> {
  const { nowMs, steadyMs } = momentOf(context);
  context.fleet.settle(steadyMs);
  const allocations = new Map(context.coordinator.snapshot(steadyMs).map((agent) => [agent.id, agent.allocatedTps]));
  const { enabled, globalLimitTps } = context.governor.settings;
  const sample: Sample = {
    atMs: nowMs,
    limitTps: enabled ? globalLimitTps : null,
    totalTps: context.fleet.totalActualTps,
    agents: context.fleet
      .registered()
      .filter((agent) => context.fleet.isOnline(agent, steadyMs))
      .map((agent) => {
        const usage = context.fleet.isRunning(agent, steadyMs) ? agent.usage : null;
        return {
          agentId: agent.agentId,
          actualTps: usage?.actualTps ?? 0,
          allocatedTps: allocations.get(agent.agentId) ?? 0,
          mbps: mbpsOf(usage),
        };
      }),
  };
  context.history.add(sample);
  await context.storage.transaction((stores) => stores.history.addSample(sample));
}
