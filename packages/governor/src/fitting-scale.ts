/** Number of shares and their sum in TPS, both weighted where shares have weights. */
export interface Tally {
  readonly count: number;
  readonly sum: number;
}

/** No running agent gets less, in TPS. */
export const MIN_AGENT_TPS = 1;

/**
 * How far shares must shrink so that they fit a budget although nobody gets less than 1 TPS (steps 7 and 8, D6): the
 * largest s ≤ 1 with `Σ max(1, s × share) ≤ budget`. Whoever is lifted to 1 TPS is thus paid for by the others in
 * proportion. With as many agents as TPS, or more, it is 0: everybody gets 1 TPS, and only then can the sum be over.
 *
 * The sum is convex and piecewise linear in s. Newton's method from s = 1 comes down to the root from above, each step
 * adds shares to those that are lifted, and it ends exactly when no more are added: a few steps in practice.
 *
 * @param atOrAbove tally of the shares ≥ a value: a pass over all of them, or a query of an ordered structure.
 */
export function fittingScale(budgetTps: number, all: Tally, atOrAbove: (shareTps: number) => Tally): number {
  if (all.count >= budgetTps) return 0;
  let scale = 1;
  let lifted = -1;
  for (;;) {
    const kept = atOrAbove(MIN_AGENT_TPS / scale);
    const nowLifted = all.count - kept.count;
    if (nowLifted <= lifted) return scale;
    if (lifted === -1 && nowLifted * MIN_AGENT_TPS + kept.sum <= budgetTps) return 1;
    lifted = nowLifted;
    scale = Math.min(scale, (budgetTps - lifted * MIN_AGENT_TPS) / kept.sum);
  }
}
