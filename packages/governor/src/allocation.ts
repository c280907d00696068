/**
 * The documented allocation policy, `reclaim`: equal split, give back half of what slack agents leave unused, share it
 * among the hungry, smooth 40/60, fit to the budget. Source: steps 2–8 of the document, with D4 (what is given back is
 * measured from the base share, so that computed shares add up to the budget exactly) and D6 (who pays for a minimum
 * share). This file is the reference: a pass over the fleet. `fleet-split.ts` gives the same answers in O(log n).
 */
import { fittingScale, MIN_AGENT_TPS, type Tally } from './fitting-scale.ts';
import { exactSum } from './exact-sum.ts';

/** An agent in the split. */
export interface RunningAgent {
  id: string;
  /** What it runs with in its current window (D5), in TPS. */
  allocatedTps: number;
  /** What it reported last (D1), in TPS; null: nothing yet, so it counts as neither hungry nor slack. */
  actualTps: number | null;
  /** `max-min` only: it had more work than credits and its rate does not say how much more; default false. */
  limited?: boolean;
  /** `max-min` only: its share of what is scarce, compared with others: 0.01–1,000; default 1. */
  weight?: number;
  /** `max-min` only: what it is given at least when it uses it, in TPS; default 0. */
  minimumTps?: number;
}

/** Lowest global limit that is ever enforced, in TPS. */
export const MIN_GLOBAL_LIMIT_TPS = 100;
/** At or above this part of its allocation an agent is hungry. */
const HUNGRY_FROM = 0.9;
/** Below this part of its allocation an agent is slack. */
const SLACK_BELOW = 0.8;
/** Part of its unused share that a slack agent gives back. */
export const GIVEN_BACK = 0.5;
/** Weight of the computed share in the next allocation; what the agent runs with has the rest. */
export const SMOOTHING = 0.4;

/** What an agent's last report says about its allocation. */
export type Appetite = 'hungry' | 'steady' | 'slack';

/** Judges an agent by the ratio of actual to allocated TPS: ≥ 0.9 hungry, < 0.8 slack. */
export function appetiteOf(agent: Pick<RunningAgent, 'allocatedTps' | 'actualTps'>): Appetite {
  if (agent.actualTps === null) return 'steady';
  const ratio = agent.actualTps / agent.allocatedTps;
  if (ratio >= HUNGRY_FROM) return 'hungry';
  return ratio < SLACK_BELOW ? 'slack' : 'steady';
}

/** The global limit as it is enforced: never below 100 TPS. */
export function enforcedLimit(globalLimitTps: number): number {
  return Math.max(MIN_GLOBAL_LIMIT_TPS, globalLimitTps);
}

/** What a slack agent gives back of its base share, in TPS (D4); never negative. */
export function givenBack(baseTps: number, actualTps: number): number {
  return GIVEN_BACK * Math.max(0, baseTps - actualTps);
}

/** What an agent gets at its next heartbeat before the budget is checked, in TPS. */
export function smoothed(computedTps: number, runsWithTps: number): number {
  return SMOOTHING * computedTps + (1 - SMOOTHING) * runsWithTps;
}

/** Share of a budget that everybody gets alike: at least 1 TPS each (D7). */
export function equalSplit(globalLimitTps: number, agents: number): number {
  return Math.max(MIN_AGENT_TPS, enforcedLimit(globalLimitTps) / Math.max(1, agents));
}

/**
 * One recompute of the whole fleet.
 *
 * @param globalLimitTps budget in TPS; a value below 100 counts as 100.
 * @param agents the active agents, in any order: the answer does not depend on it (to 1e-9 of the budget).
 * @returns what each agent is given at its next heartbeat, in TPS, each ≥ 1. Sums to at most the budget, unless there
 *   are more agents than TPS.
 */
export function reclaimAllocation(globalLimitTps: number, agents: readonly RunningAgent[]): Map<string, number> {
  const budget = enforcedLimit(globalLimitTps);
  const base = budget / Math.max(1, agents.length);
  const appetites = agents.map(appetiteOf);
  const hungry = appetites.filter((appetite) => appetite === 'hungry').length;
  // Without a hungry agent nobody gives anything back: everybody keeps the base share as headroom for bursts.
  const returned = agents.map((agent, index) =>
    hungry > 0 && appetites[index] === 'slack' ? givenBack(base, agent.actualTps ?? 0) : 0,
  );
  const bonus = hungry > 0 ? exactSum(returned) / hungry : 0;
  const shares = agents.map((agent, index) => {
    const computed = base - (returned[index] ?? 0) + (appetites[index] === 'hungry' ? bonus : 0);
    return smoothed(computed, agent.allocatedTps);
  });
  const scale = fittingScale(budget, tally(shares), (least) => tally(shares.filter((share) => share >= least)));
  return new Map(agents.map(({ id }, index) => [id, Math.max(MIN_AGENT_TPS, scale * (shares[index] ?? 0))]));
}

function tally(shares: readonly number[]): Tally {
  return { count: shares.length, sum: exactSum(shares) };
}
