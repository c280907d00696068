import { deadlineAt, type Deadline } from '@weir/quota';
import { expect } from 'vitest';
import { draw, takeOne } from './counting.ts';
import type { Bench, Case } from './harness.ts';

const DAY_MS = 86_400_000;

/** The server's deadline is the one asked for, give or take the declared slack. */
export async function expectDeadline(b: Bench, key: string, wanted: Deadline): Promise<void> {
  const held = await b.harness.deadlineOf(key);
  if (typeof held !== 'number') throw new Error(`${key} is ${held}, not dated`);
  expect(held).toBeGreaterThanOrEqual(wanted - b.slackMs);
  expect(held).toBeLessThanOrEqual(wanted + b.slackMs);
}

function lifetime(days: number): Case {
  return {
    guarantee: `a counter that lives ${days} days has exactly that deadline and is there`,
    check: async (b) => {
      const key = b.key(`days-${days}`);
      const deadline = deadlineAt(b.now() + days * DAY_MS, b.now());
      await takeOne(b.store, { ...draw(b, key, 5, 10), deadline });
      expect(await b.store.read([key])).toEqual([5]);
      await expectDeadline(b, key, deadline);
    },
  };
}

function healing(write: 'take' | 'takeAll' | 'giveBack'): Case {
  return {
    guarantee: `${write} dates an undated counter that it meets and keeps its count`,
    check: async (b) => {
      const key = b.key(`undated-${write}`);
      const one = draw(b, key, 1, 100);
      // Where the server cannot hold an undated counter, a dated one stands in: the write must not harm it either.
      if (b.harness.plantUndated === undefined) await takeOne(b.store, { ...one, amount: 57, unit: 57 });
      else {
        await b.harness.plantUndated(key, 57);
        expect(await b.harness.deadlineOf(key)).toBe('undated');
      }
      const writes = {
        take: () => b.store.take([one]),
        takeAll: () => b.store.takeAll([one]),
        giveBack: () => b.store.giveBack([one]),
      };
      await writes[write]();
      expect(await b.store.read([key])).toEqual([write === 'giveBack' ? 56 : 58]);
      await expectDeadline(b, key, one.deadline);
    },
  };
}

/** Deadlines: every write carries one, none moves it, an undated counter is healed with its count. */
export const datingCases: readonly Case[] = [
  ...[0.01, 1, 29, 30, 31, 61, 366].map(lifetime),
  ...(['take', 'takeAll', 'giveBack'] as const).map(healing),
  {
    guarantee: 'a first cost above one dates the counter too',
    check: async (b) => {
      const key = b.key('first-cost');
      const one = draw(b, key, 7, 10);
      await takeOne(b.store, one);
      await expectDeadline(b, key, one.deadline);
    },
  },

  {
    guarantee: 'no later write moves the deadline',
    check: async (b) => {
      const key = b.key('still');
      const one = draw(b, key, 1, 10);
      await takeOne(b.store, one);
      const later = deadlineAt(one.deadline + DAY_MS, b.now());
      await takeOne(b.store, { ...one, deadline: later });
      await takeOne(b.store, { ...one, deadline: later, seen: 2 });
      await b.store.takeAll([{ ...one, deadline: later }]);
      await b.store.giveBack([{ key, amount: 1, deadline: later }]);
      await takeOne(b.store, { ...one, amount: 100, unit: 100, deadline: later });
      await expectDeadline(b, key, one.deadline);
    },
  },

  {
    guarantee: 'a counter is gone after its deadline and begins again from zero',
    check: async (b) => {
      const key = b.key('gone');
      const deadline = deadlineAt(b.now() + 2_000, b.now());
      await takeOne(b.store, { ...draw(b, key, 5, 10), deadline });
      await b.pass(2_000 + b.slackMs + 1_100);
      expect(await b.store.read([key])).toEqual([undefined]);
      expect(await b.harness.deadlineOf(key)).toBe('absent');
      expect(await b.store.giveBack([{ key, amount: 1, deadline: draw(b, key, 1, 1).deadline }])).toEqual([undefined]);
      expect(await takeOne(b.store, draw(b, key, 1, 10))).toMatchObject({ granted: 1, total: 1 });
    },
  },

  {
    guarantee: 'a counter that vanished is dated again and reported, whatever was seen of it before',
    check: async (b) => {
      for (const [index, seen] of [1, 5, 50].entries()) {
        const key = b.key(`vanished-${index}`);
        const one = draw(b, key, 1, 1_000);
        await takeOne(b.store, { ...one, amount: seen, unit: seen });
        await b.store.remove([key]);
        expect(await takeOne(b.store, { ...one, seen })).toMatchObject({ granted: 1, total: 1, vanished: true });
        await expectDeadline(b, key, one.deadline);
      }
    },
  },

  {
    guarantee: 'what a refused draw overshot is not left behind, also on the fast path',
    check: async (b) => {
      const key = b.key('overshoot');
      await takeOne(b.store, draw(b, key, 8, 10));
      for (const amount of [3, 5, 100]) {
        const refused = await takeOne(b.store, { ...draw(b, key, amount, 10), seen: 1 });
        expect(refused).toMatchObject({ granted: 0 });
      }
      expect(await takeOne(b.store, { ...draw(b, key, 5, 10, 1), seen: 8 })).toMatchObject({ granted: 2, total: 10 });
      expect(await b.store.read([key])).toEqual([10]);
    },
  },

  {
    guarantee: 'values and markers carry their deadline',
    check: async (b) => {
      const one = draw(b, b.key('marked'), 1, 10);
      const marker = { key: b.key('marker'), note: '1', deadline: deadlineAt(one.deadline + DAY_MS, b.now()) };
      await b.store.takeAll([one], marker);
      await expectDeadline(b, one.key, one.deadline);
      await expectDeadline(b, marker.key, marker.deadline);
      const value = b.key('value');
      await b.store.swap(value, undefined, 'a', one.deadline);
      await expectDeadline(b, value, one.deadline);
      await b.store.swap(value, 'a', 'b', one.deadline);
      await expectDeadline(b, value, one.deadline);
    },
  },
];
