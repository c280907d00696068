import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countItem, mostFrequent, newFrequent } from '../../src/findings/frequent.ts';

describe('frequent items', () => {
  it('keeps every item above its share, and no count is wrong by more than it says', () => {
    const stream = fc.array(fc.constantFrom(...Array.from('abcdefghijklmnop')), { maxLength: 400 });
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 8 }), (items, capacity) => {
        const frequent = newFrequent(capacity);
        const exact = new Map<string, number>();
        for (const item of items) {
          countItem(frequent, item);
          exact.set(item, (exact.get(item) ?? 0) + 1);
        }
        expect(frequent.counts.size).toBeLessThanOrEqual(capacity);
        expect(frequent.missed).toBeLessThanOrEqual(items.length / (capacity + 1));
        for (const [item, count] of exact) {
          const counted = frequent.counts.get(item) ?? 0;
          expect(counted).toBeLessThanOrEqual(count);
          expect(counted + frequent.missed).toBeGreaterThanOrEqual(count);
        }
      }),
    );
  });

  it('lists the most frequent first', () => {
    const frequent = newFrequent(4);
    for (const item of 'abbcccdd') countItem(frequent, item);
    expect(mostFrequent(frequent, 2)).toEqual([
      { item: 'c', count: 3 },
      { item: 'b', count: 2 },
    ]);
  });
});
