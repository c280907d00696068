import { deadlineAt, type Draw, type Drawn, type Store } from '@weir/quota';
import { expect } from 'vitest';
import type { Bench, Case } from './harness.ts';

const HOUR_MS = 3_600_000;

/** A draw of the whole amount with an hour to live. */
export function draw(bench: Bench, key: string, amount: number, limit: number, unit: number = amount): Draw {
  return { key, amount, unit, limit, deadline: deadlineAt(bench.now() + HOUR_MS, bench.now()) };
}

/** One draw; its failure is thrown. */
export async function takeOne(store: Store, one: Draw): Promise<Drawn> {
  const [drawn] = await store.take([one]);
  if (drawn === undefined) throw new Error('the store answered nothing');
  if (drawn instanceof Error) throw drawn;
  return drawn;
}

/** Counting: draws, limits, units, returns, reads. */
export const countingCases: readonly Case[] = [
  {
    guarantee: 'an absent counter reads as absent and counts from zero',
    check: async (b) => {
      const key = b.key('new');
      expect(await b.store.read([key])).toEqual([undefined]);
      expect(await takeOne(b.store, draw(b, key, 3, 10))).toMatchObject({ granted: 3, total: 3 });
      expect(await b.store.read([key, b.key('other')])).toEqual([3, undefined]);
    },
  },

  {
    guarantee: 'reading never creates a counter',
    check: async (b) => {
      const key = b.key('read');
      await b.store.read([key]);
      expect(await b.harness.deadlineOf(key)).toBe('absent');
    },
  },

  {
    guarantee: 'a draw that does not fit spends nothing and a smaller one still fits',
    check: async (b) => {
      const key = b.key('whole');
      expect(await takeOne(b.store, draw(b, key, 95, 100))).toMatchObject({ granted: 95, total: 95 });
      expect(await takeOne(b.store, draw(b, key, 10, 100))).toMatchObject({ granted: 0, total: 95 });
      expect(await takeOne(b.store, draw(b, key, 5, 100))).toMatchObject({ granted: 5, total: 100 });
      expect(await takeOne(b.store, draw(b, key, 1, 100))).toMatchObject({ granted: 0, total: 100 });
      expect(await b.store.read([key])).toEqual([100]);
    },
  },

  {
    guarantee: 'a refused draw on an absent counter leaves no counter behind, or an empty one with a deadline',
    check: async (b) => {
      const key = b.key('refused');
      expect(await takeOne(b.store, draw(b, key, 11, 10))).toMatchObject({ granted: 0, total: 0 });
      expect(await b.harness.deadlineOf(key)).not.toBe('undated');
      const [total] = await b.store.read([key]);
      expect(total ?? 0).toBe(0);
    },
  },

  {
    guarantee: 'a draw in units gets the largest multiple of its unit that fits',
    check: async (b) => {
      const key = b.key('units');
      expect(await takeOne(b.store, draw(b, key, 90, 100))).toMatchObject({ granted: 90 });
      expect(await takeOne(b.store, draw(b, key, 12, 100, 4))).toMatchObject({ granted: 8, total: 98 });
      expect(await takeOne(b.store, draw(b, key, 7, 100, 1))).toMatchObject({ granted: 2, total: 100 });
    },
  },

  {
    guarantee: 'draws on one key in one batch apply in order',
    check: async (b) => {
      const key = b.key('order');
      const drawn = await b.store.take([draw(b, key, 6, 10), draw(b, key, 5, 10), draw(b, key, 4, 10)]);
      expect(drawn).toMatchObject([{ granted: 6 }, { granted: 0 }, { granted: 4, total: 10 }]);
    },
  },

  {
    guarantee: 'many keys in one batch are counted apart',
    check: async (b) => {
      const keys = Array.from({ length: 100 }, (_, index) => b.key(`many-${index}`));
      const drawn = await b.store.take(keys.map((key, index) => draw(b, key, index + 1, 1_000)));
      expect(drawn.map((result) => (result instanceof Error ? result.message : result.total))).toEqual(
        keys.map((_, index) => index + 1),
      );
    },
  },

  {
    guarantee: 'a draw without a limit passes every limit and lowers nothing afterwards',
    check: async (b) => {
      const key = b.key('unlimited');
      await takeOne(b.store, draw(b, key, 150, Number.MAX_SAFE_INTEGER));
      expect(await takeOne(b.store, draw(b, key, 5, 100, 1))).toMatchObject({ granted: 0, total: 150 });
      expect(await b.store.read([key])).toEqual([150]);
    },
  },

  {
    guarantee: 'totals are exact up to 2^53 - 1',
    check: async (b) => {
      const key = b.key('huge');
      const most = Number.MAX_SAFE_INTEGER;
      expect(await takeOne(b.store, draw(b, key, most - 1, most))).toMatchObject({ total: most - 1 });
      expect(await takeOne(b.store, draw(b, key, 2, most))).toMatchObject({ granted: 0, total: most - 1 });
      expect(await takeOne(b.store, draw(b, key, 1, most))).toMatchObject({ granted: 1, total: most });
    },
  },

  {
    guarantee: 'giving back never goes below zero and never creates a counter',
    check: async (b) => {
      const key = b.key('return');
      const deadline = deadlineAt(b.now() + HOUR_MS, b.now());
      await takeOne(b.store, draw(b, key, 5, 10));
      expect(await b.store.giveBack([{ key, amount: 2, deadline }])).toEqual([3]);
      expect(await b.store.giveBack([{ key, amount: 9, deadline }])).toEqual([0]);
      const absent = b.key('return-absent');
      expect(await b.store.giveBack([{ key: absent, amount: 1, deadline }])).toEqual([undefined]);
      expect(await b.harness.deadlineOf(absent)).toBe('absent');
      expect(await takeOne(b.store, draw(b, key, 10, 10))).toMatchObject({ granted: 10, total: 10 });
    },
  },

  {
    guarantee: 'removing deletes exactly the keys named, wildcards included literally',
    check: async (b) => {
      const [one, other] = [b.key('remove-1'), b.key('remove-2')];
      await b.store.take([draw(b, one, 1, 10), draw(b, other, 1, 10)]);
      await b.store.remove([b.key('remove-*'), b.key('remove-?')]);
      expect(await b.store.read([one, other])).toEqual([1, 1]);
      await b.store.remove([one]);
      expect(await b.store.read([one, other])).toEqual([undefined, 1]);
      await b.store.remove([]);
    },
  },

  {
    guarantee: 'a value that is no counter fails its own draw only',
    check: async (b) => {
      const [bad, good] = [b.key('bad'), b.key('good')];
      await b.store.swap(bad, undefined, 'not a number', deadlineAt(b.now() + HOUR_MS, b.now()));
      const [first, second] = await b.store.take([draw(b, bad, 1, 10), draw(b, good, 1, 10)]);
      expect(first).toBeInstanceOf(Error);
      expect(first).toMatchObject({ code: 'store-corrupt' });
      expect(second).toMatchObject({ granted: 1, total: 1 });
    },
  },
];
