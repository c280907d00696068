/**
 * Allocation policy `max-min` (beyond the document): everybody keeps what it uses and a little headroom, the rest goes to
 * those who want more, by weighted water-filling: nobody is given more than it wants while somebody with less per weight
 * wants more. The whole budget is always given out, and one window after a change of demand the split is right; the
 * documented policy gives back only half of what is unused and moves 40 % of the way per window.
 *
 * This file is the reference: a pass over the fleet. `max-min-split.ts` gives the same answers in O(log n).
 */
import { enforcedLimit, type RunningAgent } from './allocation.ts';
import { exactSum } from './exact-sum.ts';
import { MIN_AGENT_TPS, type Tally } from './fitting-scale.ts';
import { waterLevel, type Order } from './water-level.ts';

/** What an agent may use above its last rate before it must ask, as a part of that rate. */
const HEADROOM = 0.05;
/** Headroom of all agents together, as a part of the budget: what may idle while others are hungry. */
const HEADROOM_OF_BUDGET = 0.008;
/** Smallest weight that an agent can have; it bounds the level. */
const MIN_WEIGHT = 0.01;

/** What an agent wants, in TPS. */
export interface Claim {
  readonly weight: number;
  /** Given to it before anything is shared: at least 1, at most what it used. */
  readonly floorTps: number;
  /** What it used; `all`: more than it has, nobody knows how much; `new`: it has not reported yet. */
  readonly useTps: number | 'all' | 'new';
}

/** What a report says about the wishes of an agent. */
export function claimOf({ actualTps, limited, weight, minimumTps }: RunningAgent): Claim {
  const floorTps = Math.max(MIN_AGENT_TPS, minimumTps ?? 0);
  const share = { weight: Math.max(MIN_WEIGHT, weight ?? 1), floorTps };
  if (actualTps === null) return { ...share, useTps: 'new' };
  if (limited === true) return { ...share, useTps: 'all' };
  // D1 measures the rate while there were credits, so it says what the agent wants even when they did not last.
  const useTps = Math.max(MIN_AGENT_TPS, actualTps);
  return { ...share, useTps, floorTps: Math.min(floorTps, useTps) };
}

/** A fleet as the policy sees it. */
export interface Demands {
  readonly floors: Order;
  readonly uses: Order;
  readonly newcomers: Order;
  readonly agents: number;
  readonly weight: number;
  readonly floorTps: number;
  /** Weight of the agents that want it all. */
  readonly openWeight: number;
  /** Where to look for the level first: that of the last time. */
  readonly guess: number;
}

/** How a budget is split: `share` computes what anybody gets from it. */
export type Outlook =
  /** More agents than TPS: 1 each. */
  | { readonly kind: 'crowd' }
  /** Floors exceed the budget: what they promise above 1 TPS shrinks alike. */
  | { readonly kind: 'floors'; readonly scale: number }
  /** Nobody lacks anything: what is left is headroom for bursts, alike for all by weight. */
  | { readonly kind: 'plenty'; readonly headroom: number; readonly baseTps: number; readonly sparePerWeight: number }
  | { readonly kind: 'level'; readonly headroom: number; readonly baseTps: number; readonly levelTps: number };

/** Looks at the whole fleet, by tallies only. */
export function lookAhead(budgetTps: number, demands: Demands): Outlook {
  const { agents, weight, floorTps, openWeight, floors, uses, newcomers, guess } = demands;
  if (agents >= budgetTps) return { kind: 'crowd' };
  if (floorTps >= budgetTps) return { kind: 'floors', scale: (budgetTps - agents) / (floorTps - agents) };
  const baseTps = budgetTps / weight;
  const arriving = newcomers.below(baseTps);
  const newcomersTps = newcomers.total.sum - arriving.sum + arriving.count * baseTps;
  const headroom = headroomFor(budgetTps, baseTps, uses);
  const wantedTps = (1 + headroom) * uses.total.sum + newcomersTps;
  if (openWeight === 0 && wantedTps <= budgetTps) {
    return { kind: 'plenty', headroom, baseTps, sparePerWeight: (budgetTps - wantedTps) / weight };
  }
  const basin = { floors, uses, newcomers, baseTps };
  return {
    kind: 'level',
    headroom,
    baseTps,
    levelTps: waterLevel(budgetTps, basin, headroom, budgetTps / MIN_WEIGHT, guess),
  };
}

/**
 * 5 % where uses are small, less where that would add up: it idles while others are hungry. Whoever uses very much counts
 * with twice an equal share, since it is probably hungry; a bound that moves with the use itself keeps the policy
 * monotonous: wanting more never gives less.
 */
function headroomFor(budgetTps: number, baseTps: number, uses: Order): number {
  const muchTps = 2 * baseTps;
  const ordinary = uses.below(muchTps);
  const usedTps = ordinary.sum + muchTps * (uses.total.count - ordinary.count);
  return usedTps > 0 ? Math.min(HEADROOM, (HEADROOM_OF_BUDGET * budgetTps) / usedTps) : HEADROOM;
}

/** What an agent is given, in TPS. */
export function shareOf({ weight, floorTps, useTps }: Claim, outlook: Outlook): number {
  if (outlook.kind === 'crowd') return MIN_AGENT_TPS;
  if (outlook.kind === 'floors') return MIN_AGENT_TPS + (floorTps - MIN_AGENT_TPS) * outlook.scale;
  const { headroom, baseTps } = outlook;
  const levelTps = outlook.kind === 'level' ? outlook.levelTps : Number.POSITIVE_INFINITY;
  const spareTps = outlook.kind === 'plenty' ? weight * outlook.sparePerWeight : 0;
  if (useTps === 'new') return Math.max(floorTps, weight * Math.min(levelTps, baseTps)) + spareTps;
  const share = Math.max(floorTps, weight * levelTps);
  return (useTps === 'all' ? share : Math.min(useTps * (1 + headroom), share)) + spareTps;
}

/**
 * Splits the budget by demand.
 *
 * @param globalLimitTps budget in TPS; a value below 100 counts as 100.
 * @param agents the active agents, in any order.
 * @returns what each agent is given at its next heartbeat, in TPS, each ≥ 1. Sums to the budget (to 1e-9 of it), unless
 *   there are no agents, or more than TPS.
 */
export function maxMinAllocation(globalLimitTps: number, agents: readonly RunningAgent[]): Map<string, number> {
  const claims = agents.map(claimOf);
  const known = claims.filter(({ useTps }) => typeof useTps === 'number');
  const heard = claims.filter(({ useTps }) => useTps !== 'new');
  const newcomers = claims.filter(({ useTps }) => useTps === 'new');
  const outlook = lookAhead(enforcedLimit(globalLimitTps), {
    floors: passOver(heard, ({ floorTps }) => floorTps),
    uses: passOver(known, ({ useTps }) => Number(useTps)),
    newcomers: passOver(newcomers, ({ floorTps }) => floorTps),
    agents: agents.length,
    weight: exactSum(claims.map(({ weight }) => weight)),
    floorTps: exactSum(claims.map(({ floorTps }) => floorTps)),
    openWeight: exactSum(claims.filter(({ useTps }) => useTps === 'all').map(({ weight }) => weight)),
    guess: 0,
  });
  return new Map(agents.map(({ id }, index) => [id, shareOf(claims[index] ?? NOBODY, outlook)]));
}

const NOBODY: Claim = { weight: 1, floorTps: MIN_AGENT_TPS, useTps: 'new' };

/** The tallies that an ordered structure answers, by a pass over the claims. */
function passOver(claims: readonly Claim[], tpsOf: (claim: Claim) => number): Order {
  const tally = (chosen: readonly Claim[]): Tally => ({
    count: exactSum(chosen.map(({ weight }) => weight)),
    sum: exactSum(chosen.map(tpsOf)),
  });
  return {
    total: tally(claims),
    below: (limit) => tally(claims.filter((claim) => tpsOf(claim) / claim.weight < limit)),
  };
}
