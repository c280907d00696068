/**
 * The most frequent items of a stream in bounded memory, by Misra and Gries (1982): every item that makes up more than
 * total ÷ (capacity + 1) is in it, and a count is at most `missed` too low.
 */
export interface Frequent {
  readonly capacity: number;
  readonly counts: Map<string, number>;
  /** By how much a count may be too low. */
  missed: number;
}

/** An empty one. */
export function newFrequent(capacity: number): Frequent {
  return { capacity, counts: new Map(), missed: 0 };
}

/** Counts one item. */
export function countItem(frequent: Frequent, item: string): void {
  const { counts } = frequent;
  const count = counts.get(item);
  if (count !== undefined || counts.size < frequent.capacity) {
    counts.set(item, (count ?? 0) + 1);
    return;
  }
  frequent.missed += 1;
  for (const [other, left] of counts) {
    if (left > 1) counts.set(other, left - 1);
    else counts.delete(other);
  }
}

/** The most frequent items, the first first. */
export function mostFrequent({ counts }: Frequent, most: number): { item: string; count: number }[] {
  return Array.from(counts, ([item, count]) => ({ item, count }))
    .sort((a, b) => b.count - a.count || (a.item < b.item ? -1 : 1))
    .slice(0, most);
}
