import { expect, test } from 'vitest';
import { shareDone } from '../../../src/copy/copy-follower.ts';

const GIB = 1024 ** 3;

test('a large object moves the bar before it is done, and small ones do too', () => {
  expect(shareDone({ objects: 0, bytes: 0 }, null, 0)).toBeNull();
  expect(shareDone({ objects: 0, bytes: 0 }, 0, 0)).toBe(1);
  expect(shareDone({ objects: 0, bytes: 2 * GIB }, 1, 4 * GIB)).toBeCloseTo(0.5, 3);
  expect(shareDone({ objects: 500, bytes: 0 }, 1_000, 0)).toBe(0.5);
  expect(shareDone({ objects: 1_000, bytes: 10 * GIB }, 1_000, 4 * GIB)).toBe(1);
});
