/**
 * Water-filling with weights, floors and caps: the level L with Σ share(L) = budget, where
 *
 *   agents with a known use   min(use × (1 + headroom), max(floor, weight × L))       floor ≤ use
 *   agents that want it all   max(floor, weight × L)
 *   agents never heard of     max(floor, weight × min(L, base))
 *
 * The sum grows with L, in straight pieces, and is answered for any L by a few tallies; so is its slope. Newton's method
 * inside a bracket finds the piece, then the exact level: a handful of steps, each O(log n).
 */
import type { Tally } from './fitting-scale.ts';

/** What the level is computed from. Tallies count weights; keys are TPS per weight. */
export interface Basin {
  /** Floors of agents with a known use and of those that want it all. */
  readonly floors: Order;
  /** Known uses. */
  readonly uses: Order;
  /** Floors of agents never heard of. */
  readonly newcomers: Order;
  /** What those count with at most, per weight. */
  readonly baseTps: number;
}

/** Tallies of weighted keys on either side of a value. */
export interface Order {
  readonly total: Tally;
  below(limit: number): Tally;
}

const MAX_STEPS = 200;
/** Relative to the budget: far below one credit, above the rounding of sums over a million agents. */
const CLOSE_ENOUGH = 1e-13;

/** Sum of all shares and its slope at a level. */
export function sharesAt(basin: Basin, level: number, headroom: number): { sum: number; slope: number } {
  const { floors, uses, newcomers, baseTps } = basin;
  const rising = floors.below(level);
  const full = uses.below(level / (1 + headroom));
  const arriving = newcomers.below(Math.min(level, baseTps));
  const sum =
    floors.total.sum -
    rising.sum +
    rising.count * level -
    (full.count * level - (1 + headroom) * full.sum) +
    (newcomers.total.sum - arriving.sum + arriving.count * Math.min(level, baseTps));
  return { sum, slope: rising.count - full.count + (level < baseTps ? arriving.count : 0) };
}

/**
 * The level at which the shares add up to the budget.
 * @param highest a level at which they add up to at least the budget.
 * @param guess where to start: the level of the last time is a good one.
 */
export function waterLevel(budgetTps: number, basin: Basin, headroom: number, highest: number, guess: number): number {
  let low = 0;
  let high = highest;
  let level = guess > low && guess < high ? guess : high / 2;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { sum, slope } = sharesAt(basin, level, headroom);
    const over = sum - budgetTps;
    if (Math.abs(over) <= CLOSE_ENOUGH * budgetTps) return level;
    if (over > 0) high = level;
    else low = level;
    const newton = slope > 0 ? level - over / slope : Number.NaN;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (next === level || high - low <= CLOSE_ENOUGH * high) return next;
    level = next;
  }
  return low;
}
