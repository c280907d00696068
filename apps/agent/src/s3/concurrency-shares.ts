/** A run as the sharing sees it. */
export interface SharingRun {
  snapshot(): { inFlight: number; listed: boolean };
  /** Objects that it may have under way from now on: 1 or more. */
  setConcurrency(max: number): void;
}

/**
 * Shares a number of objects among runs by need: a run that has begun everything needs what it has under way, any other as
 * much as there is. Needs that are small are met, and what is left is shared equally (max-min fairness). Everybody gets at
 * least 1, so that nobody stops; only more runs than objects can exceed the total.
 * @param needs objects that each run could use; Infinity: all
 */
export function sharesByNeed(total: number, needs: readonly number[]): number[] {
  const shares = needs.map(() => 0);
  const order = needs.map((_, index) => index).sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0));
  let left = total;
  for (const [place, index] of order.entries()) {
    const equal = Math.floor(left / (order.length - place));
    const share = Math.max(1, Math.min(needs[index] ?? 0, equal));
    shares[index] = share;
    left = Math.max(0, left - share);
  }
  return shares;
}

/** How often needs are looked at besides whenever a run begins or ends, in ms. */
const LOOK_MS = 1_000;

/** Keeps the objects under way of all runs of an agent within one number, wherever they are needed. */
export class ConcurrencyShares {
  readonly #total: number;
  readonly #startTimer: (run: () => void, delayMs: number) => () => void;
  readonly #runs = new Set<SharingRun>();
  #cancelTimer: (() => void) | null = null;

  constructor(total: number, startTimer: (run: () => void, delayMs: number) => () => void) {
    this.#total = total;
    this.#startTimer = startTimer;
  }

  add(run: SharingRun): void {
    this.#runs.add(run);
    this.#share();
  }

  remove(run: SharingRun): void {
    this.#runs.delete(run);
    this.#share();
  }

  #share(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const runs = [...this.#runs];
    if (runs.length === 0) return;
    const needs = runs.map((run) => {
      const { inFlight, listed } = run.snapshot();
      return listed ? inFlight : Number.POSITIVE_INFINITY;
    });
    const shares = sharesByNeed(this.#total, needs);
    for (const [index, run] of runs.entries()) run.setConcurrency(shares[index] ?? 1);
    this.#cancelTimer = this.#startTimer(() => this.#share(), LOOK_MS);
  }
}
