/**
 * A fleet on paper: the same policy, alarm and credit arithmetic as in production, with every agent's heartbeat at the
 * end of the window and demand that is known. Used by `weir simulate` to try limits and policies before agents run.
 */
import { enforcedLimit, equalSplit, type RunningAgent } from './allocation.ts';
import { utilizationPercent } from './bands.ts';
import { exactSum } from './exact-sum.ts';
import { simulateFleet } from './fleet-simulation.ts';
import { POLICIES } from './policies.ts';
import type { Scenario, ScenarioAgent } from './scenario.ts';
import { AlarmClock } from './simulated-alarm.ts';
import { byId, moved, summarize, type SimulatedWindow, type SimulationResult } from './simulation-result.ts';

/** Plays a scenario from `parseScenario`: window by window, or, with `fleet`, second by second. Deterministic. */
export function simulate(scenario: Scenario): SimulationResult {
  if (scenario.fleet !== undefined) return simulateFleet(scenario, scenario.fleet);
  const { agents, globalLimitTps, windowSeconds } = scenario;
  const limitTps = enforcedLimit(globalLimitTps);
  const firstShare = equalSplit(globalLimitTps, agents.length);
  const alarm = new AlarmClock(windowSeconds * 1_000);
  const windows: SimulatedWindow[] = [];
  let granted: ReadonlyMap<string, number> = new Map();
  let before: readonly number[] | null = null;
  let chargedOps = 0;
  let settledAtIndex = 0;
  for (let index = 0; index < scenario.windows; index += 1) {
    // Agents that begin to run in this window get an equal split over all agents, as if they accepted a job (D7).
    const allocated = agents.map((agent) =>
      runs(agent, index) ? (granted.get(agent.id) ?? agent.initialAllocatedTps ?? firstShare) : 0,
    );
    const { charged, actual } = playWindow(scenario, index, allocated);
    const utilization = utilizationPercent(exactSum(actual), limitTps);
    windows.push({
      index,
      allocatedTps: byId(agents, allocated),
      actualTps: byId(agents, actual),
      usedPercent: (charged / (limitTps * windowSeconds)) * 100,
      utilizationPercent: utilization,
      alarm: alarm.windowEnds(utilization),
    });
    chargedOps += charged;
    if (before !== null && moved(before, allocated)) settledAtIndex = index;
    before = allocated;
    granted = POLICIES[scenario.policy](globalLimitTps, stillRunning(agents, index, allocated, actual));
  }
  const settled = settledAtIndex > 0 && settledAtIndex === windows.length - 1 ? null : settledAtIndex;
  return { windows, summary: summarize(scenario, windows, chargedOps, settled) };
}

function runs(agent: ScenarioAgent, index: number): boolean {
  return index >= agent.runsFrom && (agent.runsUntil === null || index < agent.runsUntil);
}

/** Operations charged in a window, and what each agent reports; both by position. */
function playWindow(
  scenario: Scenario,
  index: number,
  allocated: readonly number[],
): { charged: number; actual: number[] } {
  const charges: number[] = [];
  const actual = scenario.agents.map((agent, position) => {
    if (!runs(agent, index)) return 0;
    const wanted = agent.demandTps * scenario.windowSeconds;
    const credits = Math.floor((allocated[position] ?? 0) * scenario.windowSeconds);
    charges.push(Math.min(wanted, credits));
    return wanted > credits ? agent.burstTps : agent.demandTps;
  });
  return { charged: exactSum(charges), actual };
}

/** The agents that heartbeat at the end of a window and still have a running job. */
function stillRunning(
  agents: readonly ScenarioAgent[],
  index: number,
  allocated: readonly number[],
  actual: readonly number[],
): RunningAgent[] {
  const running: RunningAgent[] = [];
  for (const [position, agent] of agents.entries()) {
    if (!runs(agent, index) || !runs(agent, index + 1)) continue;
    running.push({ id: agent.id, allocatedTps: allocated[position] ?? 0, actualTps: actual[position] ?? 0 });
  }
  return running;
}
