import type { Counter, WaitingTake } from './counter.ts';
import type { Draw } from './store.ts';

/** One draw and the takes that it is for, in the order in which they came. */
export interface PlannedDraw {
  /**
   * - `run`: takes of one cost and limit; granted amounts go to the first ones.
   * - `whole`: takes of several costs, all or none; if they do not fit together they are drawn as runs.
   * - `block`: a lease is filled up; takes are then spent from it.
   * - `debt`: what was admitted while the store was away.
   */
  readonly kind: 'run' | 'whole' | 'block' | 'debt';
  readonly draw: Draw;
  readonly takes: readonly WaitingTake[];
}

/** Share of what is left under the limit that one block may take, so that little is left unspent in other processes' blocks. */
const BLOCK_SHARE = 8;

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * How the waiting takes of one counter travel: as few draws as exactness allows. Pure.
 * The draws apply in order at the store, so a run sees what the runs before it took.
 */
export function planDraws(counter: Counter, takes: readonly WaitingTake[], nowMs: number): PlannedDraw[] {
  const seen = counter.seen(nowMs);
  const draw = (amount: number, unit: number, limit: number): Draw => {
    const base = { key: counter.key, amount, unit, limit, deadline: counter.period.deadline };
    return seen === undefined ? base : { ...base, seen };
  };
  const planned: PlannedDraw[] = [];
  if (counter.owed > 0) planned.push({ kind: 'debt', draw: draw(counter.owed, counter.owed, NO_LIMIT), takes: [] });
  const first = takes[0];
  if (first === undefined) return planned;
  const { shadow, lease } = counter.rules;
  const oneLimit = takes.every((take) => take.limit === first.limit);
  if (lease > 0 && oneLimit) {
    const amount = blockSize(counter, sumOf(takes), first.limit);
    return [...planned, { kind: 'block', draw: draw(amount, 1, first.limit), takes }];
  }
  const limitOf = (take: WaitingTake): number => (shadow ? NO_LIMIT : take.limit);
  const runs = runsOf(takes, limitOf);
  const sum = sumOf(takes);
  const together = runs.length > 1 && oneLimit && !counter.splitNext && sum <= limitOf(first) - (seen ?? 0);
  counter.splitNext = false;
  if (together) return [...planned, { kind: 'whole', draw: draw(sum, sum, limitOf(first)), takes }];
  for (const run of runs) {
    const [{ cost, limit }] = run;
    planned.push({ kind: 'run', draw: draw(cost * run.length, cost, shadow ? NO_LIMIT : limit), takes: run });
  }
  return planned;
}

/** How many of a run's takes a granted amount admits: the first ones. */
export function admittedOf(granted: number, cost: number): number {
  return Math.floor(granted / cost);
}

function blockSize(counter: Counter, needed: number, limit: number): number {
  const left = Math.max(0, limit - (counter.total ?? 0));
  const block = Math.min(counter.rules.lease, Math.floor(left / BLOCK_SHARE));
  return Math.max(needed - counter.lease, block, 1);
}

type Run = readonly [WaitingTake, ...WaitingTake[]];

/** Cuts into stretches of equal cost and limit whose sum is a safe integer. */
function runsOf(takes: readonly WaitingTake[], limitOf: (take: WaitingTake) => number): Run[] {
  const runs: [WaitingTake, ...WaitingTake[]][] = [];
  for (const take of takes) {
    const run = runs.at(-1);
    const fits = run !== undefined && Number.isSafeInteger(take.cost * (run.length + 1));
    if (fits && run[0].cost === take.cost && limitOf(run[0]) === limitOf(take)) run.push(take);
    else runs.push([take]);
  }
  return runs;
}

/** The sum of the costs, at most 2^53 - 1. */
function sumOf(takes: readonly WaitingTake[]): number {
  let sum = 0;
  for (const take of takes) sum = Math.min(Number.MAX_SAFE_INTEGER, sum + take.cost);
  return sum;
}
