import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareKeys } from '../../src/queue/byte-order.ts';

test('keys are ordered as S3 lists them: by their bytes in UTF-8', () => {
  const key = fc.string({ unit: 'binary', maxLength: 12 });
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('a key above the surrogates sorts before an emoji, unlike in UTF-16', () => {
  const [wide, emoji] = ['\uFF5E', '\u{1F600}'];
  expect(['\u{1F600}', '\uFF5E'].sort()).toEqual([emoji, wide]);
  expect([emoji, wide].sort(compareKeys)).toEqual([wide, emoji]);
});
