import { enforcedLimit } from './allocation.ts';
import { exactSum } from './exact-sum.ts';
import type { PolicyName } from './policies.ts';
import type { Scenario, ScenarioAgent } from './scenario.ts';

/** One window of the simulated fleet. Agents without a running job have 0. */
export interface SimulatedWindow {
  /** Position in the result, from 0. */
  index: number;
  /** What each agent ran with. */
  allocatedTps: Record<string, number>;
  /** What each agent reported at the end of the window. */
  actualTps: Record<string, number>;
  /** Operations charged, of those that the budget allows in a window. */
  usedPercent: number;
  /** Sum of reported rates, of the global limit: the monitor's utilization, above 100 for bursts. */
  utilizationPercent: number;
  /** What CV-TPS-001 did at the end of the window; an alarm that ends by itself counts as cleared. */
  alarm: 'raised' | 'cleared' | null;
}

/** The whole course in a few numbers. */
export interface SimulationSummary {
  policy: PolicyName;
  /** As enforced: at least 100. */
  globalLimitTps: number;
  windowSeconds: number;
  windows: number;
  agents: number;
  chargedOps: number;
  meanUsedPercent: number;
  lowestUsedPercent: number;
  highestUsedPercent: number;
  /** Of the last window: what the fleet settles at. */
  finalUsedPercent: number;
  meanUtilizationPercent: number;
  highestUtilizationPercent: number;
  /** First window from which on no allocation moves by more than 1 % a window; null if it still does at the end. */
  settledAtIndex: number | null;
  alarmsRaised: number;
  /** Only of a fleet in real time. */
  fleet?: FleetSummary;
}

/** What only a fleet in real time shows. */
export interface FleetSummary {
  /** Most operations that the servers saw in one step (a thirtieth of a window), of what the limit allows in it. */
  peakPercent: number;
  /** Highest sum of live grants, of what a window may hold. */
  highestLivePercent: number;
  /** Jain's index of fairness over what agents that wanted more were given per weight, averaged over windows; null: never two. */
  jainIndex: number | null;
  heartbeats: number;
}

export interface SimulationResult {
  windows: SimulatedWindow[];
  summary: SimulationSummary;
}

/** The whole course in a few numbers. */
export function summarize(
  scenario: Scenario,
  windows: readonly SimulatedWindow[],
  chargedOps: number,
  settledAtIndex: number | null,
): SimulationSummary {
  const used = windows.map((window) => window.usedPercent);
  const utilization = windows.map((window) => window.utilizationPercent);
  return {
    policy: scenario.policy,
    globalLimitTps: enforcedLimit(scenario.globalLimitTps),
    windowSeconds: scenario.windowSeconds,
    windows: windows.length,
    agents: scenario.agents.length,
    chargedOps,
    meanUsedPercent: exactSum(used) / used.length,
    lowestUsedPercent: used.reduce((a, b) => Math.min(a, b)),
    highestUsedPercent: used.reduce((a, b) => Math.max(a, b)),
    finalUsedPercent: used.at(-1) ?? 0,
    meanUtilizationPercent: exactSum(utilization) / utilization.length,
    highestUtilizationPercent: utilization.reduce((a, b) => Math.max(a, b)),
    settledAtIndex,
    alarmsRaised: windows.filter((window) => window.alarm === 'raised').length,
  };
}

/** Values in the order of the agents, by their names. */
export function byId(agents: readonly ScenarioAgent[], values: readonly number[]): Record<string, number> {
  // No prototype: an agent may be called `__proto__`.
  const record: Record<string, number> = Object.create(null);
  for (const [position, { id }] of agents.entries()) record[id] = values[position] ?? 0;
  return record;
}

/** Whether any allocation changed by more than 1 % (or 0.01 TPS). */
export function moved(before: readonly number[], after: readonly number[]): boolean {
  return after.some((tps, position) => {
    const last = before[position] ?? 0;
    return Math.abs(tps - last) > 0.01 * Math.max(1, last);
  });
}
