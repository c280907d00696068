/**
 * Allocation policy `max-min` (beyond the document): everybody keeps what it uses plus 5 %, the rest goes to those who
 * want more, by water-filling: nobody is given more than it wants while somebody with less wants more. The whole budget
 * is always given out, and one window after a change of demand the split is right; the documented policy gives back
 * only half of what is unused and moves 40 % of the way per window.
 */
import { enforcedLimit, type RunningAgent } from './allocation.ts';
import { exactSum } from './exact-sum.ts';
import { MIN_AGENT_TPS } from './fitting-scale.ts';

/** What an agent may use above its last rate before it must ask, as a part of that rate. */
const HEADROOM = 0.05;

/**
 * Splits the budget by demand.
 *
 * @param globalLimitTps budget in TPS; a value below 100 counts as 100.
 * @param agents the active agents, in any order.
 * @returns what each agent is given at its next heartbeat, in TPS, each ≥ 1. Sums to the budget exactly, unless there
 *   are no agents, or more than TPS.
 */
export function maxMinAllocation(globalLimitTps: number, agents: readonly RunningAgent[]): Map<string, number> {
  const budget = enforcedLimit(globalLimitTps);
  const base = budget / Math.max(1, agents.length);
  const demands = agents.map((agent) => Math.max(MIN_AGENT_TPS, demandOf(agent, base)));
  if (agents.length >= budget) return new Map(agents.map(({ id }) => [id, MIN_AGENT_TPS]));
  const spare = budget - exactSum(demands);
  if (spare >= 0) {
    // Nobody lacks anything: what is left is headroom for bursts, alike for all.
    return new Map(agents.map(({ id }, index) => [id, (demands[index] ?? 0) + spare / agents.length]));
  }
  const level = waterLevel(budget, demands);
  return new Map(agents.map(({ id }, index) => [id, Math.min(demands[index] ?? 0, level)]));
}

/** D1 measures the rate while there were credits, so it says what the agent wants even when they did not last. */
function demandOf({ actualTps }: RunningAgent, base: number): number {
  return actualTps === null ? base : actualTps * (1 + HEADROOM);
}

/** The level with `Σ min(demand, level) = budget`, for demands that exceed the budget together. */
function waterLevel(budget: number, demands: readonly number[]): number {
  const ascending = [...demands].sort((a, b) => a - b);
  let left = budget;
  for (const [index, demand] of ascending.entries()) {
    const level = left / (ascending.length - index);
    if (demand >= level) return level;
    left -= demand;
  }
  return Number.POSITIVE_INFINITY;
}
