import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { attemptOf } from '../../../src/s3/attempt-header.ts';

test('the attempt is read wherever it stands in the header', () => {
  expect(attemptOf('attempt=1; max=3')).toBe(0);
  expect(attemptOf('attempt=3; max=3')).toBe(2);
  expect(attemptOf('ttl=20260101T100000Z; attempt=2; max=5')).toBe(1);
  expect(attemptOf('attempt=12')).toBe(11);
});

test('whatever else the header says, it is a first attempt: never cheaper than it is', () => {
  for (const value of [undefined, null, 7, '', 'attempt=', 'attempt=0', 'attempt=-2', 'reattempt=5', 'attempt=2x'])
    expect(attemptOf(value)).toBe(0);
  fc.assert(fc.property(fc.string(), (text) => Number.isSafeInteger(attemptOf(text)) && attemptOf(text) >= 0));
});
