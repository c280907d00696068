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
  readonly counter: Counter;
  readonly draw: Draw;
  readonly takes: readonly WaitingTake[];
}

/** Share of what is left under the limit that one block may take, so that little is left unspent in other processes' blocks. */
const BLOCK_SHARE = 8;

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * How the waiting takes of one counter travel: as few draws as exactness allows. Pure but for the hint that it uses up.
 * The draws apply in order at the store, so a run sees what the runs before it took.
 * @param planned receives the draws.
 */
export function planDraws(
  counter: Counter,
  takes: readonly WaitingTake[],
  nowMs: number,
  planned: PlannedDraw[],
): void {
  const seen = counter.seen(nowMs);
  if (counter.owed > 0) {
    planned.push({
      kind: 'debt',
      counter,
      draw: drawOf(counter, counter.owed, counter.owed, NO_LIMIT, seen),
      takes: [],
    });
  }
  const first = takes[0];
  if (first === undefined) return;
  const { shadow, lease } = counter.rules;
  const limit = shadow ? NO_LIMIT : first.limit;
  const oneLimit = shadow || takes.every((take) => take.limit === first.limit);
  if (lease > 0 && oneLimit) {
    const amount = blockSize(counter, sumOf(takes), first.limit);
    planned.push({ kind: 'block', counter, draw: drawOf(counter, amount, 1, limit, seen), takes });
    return;
  }
  const runs = runsOf(takes, shadow);
  const sum = sumOf(takes);
  const together = runs.length > 1 && oneLimit && !counter.splitNext && sum <= limit - (seen ?? 0);
  counter.splitNext = false;
  if (together) {
    planned.push({ kind: 'whole', counter, draw: drawOf(counter, sum, sum, limit, seen), takes });
    return;
  }
  for (const run of runs) {
    const [{ cost, limit: own }] = run;
    const draw = drawOf(counter, cost * run.length, cost, shadow ? NO_LIMIT : own, seen);
    planned.push({ kind: 'run', counter, draw, takes: run });
  }
}

function drawOf(counter: Counter, amount: number, unit: number, limit: number, seen: number | undefined): Draw {
  const { key, period } = counter;
  const { deadline } = period;
  return seen === undefined ? { key, amount, unit, limit, deadline } : { key, amount, unit, limit, deadline, seen };
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

/** Cuts into stretches of equal cost and limit whose sum is a safe integer. In shadow limits do not matter. */
function runsOf(takes: readonly WaitingTake[], shadow: boolean): Run[] {
  const runs: [WaitingTake, ...WaitingTake[]][] = [];
  for (const take of takes) {
    const run = runs.at(-1);
    const [first] = run ?? [];
    const alike = first !== undefined && first.cost === take.cost && (shadow || first.limit === take.limit);
    if (run !== undefined && alike && Number.isSafeInteger(take.cost * (run.length + 1))) run.push(take);
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
