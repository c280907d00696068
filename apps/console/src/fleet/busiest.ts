/**
 * The `max` busiest of a list, busiest first; equally busy ones in the order of the list. Costs one pass and a few sorts of
 * 2 × `max`, not a sort of the whole list: a fleet may have 100,000 agents.
 */
export function busiest<T>(list: Iterable<T>, max: number, tpsOf: (one: T) => number): T[] {
  let kept: T[] = [];
  let threshold = Number.NEGATIVE_INFINITY;
  const cut = (): void => {
    kept = kept.sort((a, b) => tpsOf(b) - tpsOf(a)).slice(0, max);
    const last = kept.at(-1);
    if (kept.length === max && last !== undefined) threshold = tpsOf(last);
  };
  for (const one of list) {
    if (tpsOf(one) <= threshold) continue;
    kept.push(one);
    if (kept.length >= 2 * max) cut();
  }
  cut();
  return kept;
}
