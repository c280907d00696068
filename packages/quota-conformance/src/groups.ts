import { deadlineAt } from '@weir/quota';
import { expect } from 'vitest';
import { draw, takeOne } from './counting.ts';
import { pick, type Case } from './harness.ts';

/** Groups: all or nothing, charged once under a marker. */
export const groupCases: readonly Case[] = [
  {
    guarantee: 'a group is charged whole or not at all, and says which counters refused',
    check: async (b) => {
      const [one, two, three] = [b.key('one'), b.key('two'), b.key('three')];
      await takeOne(b.store, draw(b, two, 9, 10));
      await takeOne(b.store, draw(b, three, 10, 10));
      const refused = await b.store.takeAll([draw(b, one, 5, 10), draw(b, two, 5, 10), draw(b, three, 1, 10)]);
      expect(refused).toMatchObject({ outcome: 'refused', refused: [1, 2] });
      expect(refused.draws.map((drawn) => drawn.granted)).toEqual([0, 0, 0]);
      expect(refused.draws.map((drawn) => drawn.total)).toEqual([0, 9, 10]);
      const totals = await b.store.read([one, two, three]);
      expect(totals.map((total) => total ?? 0)).toEqual([0, 9, 10]);
      const charged = await b.store.takeAll([draw(b, one, 5, 10), draw(b, two, 1, 10)]);
      expect(charged).toMatchObject({ outcome: 'charged', refused: [], draws: [{ total: 5 }, { total: 10 }] });
    },
  },

  {
    guarantee: 'a marked group is charged once, whoever repeats it, and its note comes back',
    check: async (b) => {
      const other = await b.open();
      const one = draw(b, b.key('once'), 4, 10);
      const marker = { key: b.key('once-marker'), note: 'cost 4', deadline: one.deadline };
      expect(await b.store.takeAll([one], marker)).toMatchObject({ outcome: 'charged', draws: [{ total: 4 }] });
      for (const store of [b.store, other, b.store]) {
        expect(await store.takeAll([one], marker)).toMatchObject({
          outcome: 'replayed',
          note: 'cost 4',
          draws: [{ granted: 0, total: 4 }],
        });
      }
      expect(await b.store.read([one.key])).toEqual([4]);
    },
  },

  {
    guarantee: 'a refused group leaves its marker free, so that the repetition may succeed',
    check: async (b) => {
      const one = draw(b, b.key('later'), 4, 10);
      const marker = { key: b.key('later-marker'), note: 'n', deadline: one.deadline };
      await takeOne(b.store, draw(b, one.key, 8, 10));
      expect(await b.store.takeAll([one], marker)).toMatchObject({ outcome: 'refused', refused: [0] });
      await b.store.giveBack([{ key: one.key, amount: 8, deadline: one.deadline }]);
      expect(await b.store.takeAll([one], marker)).toMatchObject({ outcome: 'charged', draws: [{ total: 4 }] });
      expect(await b.store.takeAll([one], marker)).toMatchObject({ outcome: 'replayed' });
    },
  },

  {
    guarantee: 'repetitions that run at the same time charge once',
    check: async (b) => {
      const stores = [b.store, await b.open(), await b.open()];
      const one = draw(b, b.key('race'), 3, 1_000);
      const marker = { key: b.key('race-marker'), note: 'n', deadline: one.deadline };
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, index) => pick(stores, index).takeAll([one], marker)),
      );
      expect(outcomes.filter((result) => result.outcome === 'charged')).toHaveLength(1);
      expect(await b.store.read([one.key])).toEqual([3]);
    },
  },
];

/** Values: written only against the value expected. */
export const valueCases: readonly Case[] = [
  {
    guarantee: 'a swap succeeds only against the value expected, and answers with the value held',
    check: async (b) => {
      const key = b.key('swap');
      const deadline = deadlineAt(b.now() + 60_000, b.now());
      expect(await b.store.get(key)).toBeUndefined();
      expect(await b.store.swap(key, 'x', 'a', deadline)).toEqual({ swapped: false, value: undefined });
      expect(await b.store.swap(key, undefined, 'a b\nc é', deadline)).toEqual({ swapped: true, value: 'a b\nc é' });
      expect(await b.store.swap(key, undefined, 'z', deadline)).toEqual({ swapped: false, value: 'a b\nc é' });
      expect(await b.store.swap(key, 'a b\nc é', '', deadline)).toEqual({ swapped: true, value: '' });
      expect(await b.store.get(key)).toBe('');
      await b.store.remove([key]);
      expect(await b.store.get(key)).toBeUndefined();
    },
  },

  {
    guarantee: 'of many swaps against one value exactly one wins',
    check: async (b) => {
      const stores = [b.store, await b.open()];
      const key = b.key('swap-race');
      const deadline = deadlineAt(b.now() + 60_000, b.now());
      for (const expected of [undefined, 'round 1'] as const) {
        const next = expected === undefined ? 'round 1' : 'round 2';
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) => pick(stores, index).swap(key, expected, next, deadline)),
        );
        expect(results.filter((result) => result.swapped)).toHaveLength(1);
        expect(await b.store.get(key)).toBe(next);
      }
    },
  },

  {
    guarantee: 'a value of 100,000 bytes is kept whole',
    check: async (b) => {
      const key = b.key('large');
      const value = 'v'.repeat(100_000);
      await b.store.swap(key, undefined, value, deadlineAt(b.now() + 60_000, b.now()));
      expect(await b.store.get(key)).toBe(value);
    },
  },
];
