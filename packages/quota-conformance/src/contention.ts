import { expect } from 'vitest';
import { draw } from './counting.ts';
import type { Case } from './harness.ts';

/** Many connections on few counters: never more than the limit, nothing lost, nothing blocked for ever. */
export const contentionCases: readonly Case[] = [
  {
    guarantee: 'single takes over several connections fill the limit exactly',
    check: async (b) => {
      const stores = [b.store, await b.open(), await b.open(), await b.open()];
      const key = b.key('units');
      const limit = b.contention * 2;
      const drawn = await Promise.all(
        stores.flatMap((store) => Array.from({ length: b.contention }, () => store.take([draw(b, key, 1, limit)]))),
      );
      const granted = drawn.flat().reduce((sum, one) => sum + (one instanceof Error ? Number.NaN : one.granted), 0);
      expect(granted).toBe(limit);
      expect(await b.store.read([key])).toEqual([limit]);
    },
  },

  {
    guarantee: 'with mixed costs and the fast path the total is what was granted, and what is left can still be taken',
    check: async (b) => {
      const stores = [b.store, await b.open(), await b.open()];
      const key = b.key('mixed');
      const limit = 1_000;
      let granted = 0;
      await Promise.all(
        stores.map(async (store, index) => {
          let seen: number | undefined;
          for (let turn = 0; turn < b.contention / 2; turn++) {
            const amount = 1 + ((turn * 7 + index * 5) % 23);
            const one = draw(b, key, amount, limit);
            const [drawn] = await store.take([seen === undefined ? one : { ...one, seen }]);
            if (drawn === undefined || drawn instanceof Error) throw drawn ?? new Error('no answer');
            granted += drawn.granted;
            seen = drawn.total;
            expect(granted).toBeLessThanOrEqual(limit);
          }
        }),
      );
      expect(await b.store.read([key])).toEqual([granted]);
      const [rest] = await b.store.take([draw(b, key, limit, limit, 1)]);
      expect(rest).toMatchObject({ granted: limit - granted, total: limit });
    },
  },

  {
    guarantee: 'groups that overlap never admit more than any limit and leave totals equal to what was granted',
    check: async (b) => {
      const stores = [b.store, await b.open(), await b.open()];
      const [left, right] = [b.key('left'), b.key('right')];
      const granted = { left: 0, right: 0 };
      await Promise.all(
        stores.map(async (store, index) => {
          for (let turn = 0; turn < 30; turn++) {
            const a = draw(b, left, 1 + ((turn + index) % 3), 60);
            const c = draw(b, right, 1 + (turn % 2), 40);
            const result = await store.takeAll(turn % 2 === 0 ? [a, c] : [c, a]);
            if (result.outcome !== 'charged') continue;
            granted.left += a.amount;
            granted.right += c.amount;
          }
        }),
      );
      expect(granted.left).toBeLessThanOrEqual(60);
      expect(granted.right).toBeLessThanOrEqual(40);
      expect(await b.store.read([left, right])).toEqual([granted.left, granted.right]);
    },
  },
];
