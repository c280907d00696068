import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RangeEnd } from '../../src/range-end.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';

test('whatever is narrowed while keys are begun in order, no key behind an accepted end begins, and none before it is lost', () => {
  const key = fc.string({ minLength: 1, maxLength: 3, unit: 'binary' });
  const steps = fc.array(fc.oneof(fc.constant('begin' as const), key), { maxLength: 60 });
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 40 }), steps, (keys, moves) => {
      const end = new RangeEnd();
      const sorted = keys.filter((text) => text.isWellFormed()).sort(compareUtf8);
      const begun: string[] = [];
      const accepted: string[] = [];
      /** How the last key begun compared with each end that was refused. */
      const refused: number[] = [];
      let next = 0;
      let open = true;
      for (const move of [...moves, ...sorted.map(() => 'begin' as const)]) {
        if (move !== 'begin') {
          if (end.narrow(move)) accepted.push(move);
          else refused.push(compareUtf8(begun.at(-1) ?? '', move));
          continue;
        }
        const candidate = sorted[next];
        if (!open || candidate === undefined) continue;
        open = end.begins(candidate);
        if (open) {
          begun.push(candidate);
          next++;
        }
      }
      expect(refused.filter((order) => order <= 0)).toEqual([]);
      const nearest = accepted.sort(compareUtf8)[0];
      expect(begun).toEqual(sorted.filter((text) => nearest === undefined || compareUtf8(text, nearest) <= 0));
    }),
  );
});

test('an end is never moved further away again', () => {
  const end = new RangeEnd();
  expect([end.narrow('m'), end.narrow('t')]).toEqual([true, true]);
  expect([end.begins('m'), end.begins('n')]).toEqual([true, false]);
});
