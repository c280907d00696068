import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planRangesWith } from '../../src/plan-ranges.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';
import { memoryLister } from './memory-lister.ts';

function sizesOf(keys: readonly string[], boundaries: readonly string[]): number[] {
  const ends = boundaries.map((boundary) => keys.indexOf(boundary) + 1);
  return [...ends, keys.length].map((end, index) => end - (ends[index - 1] ?? 0));
}

const md5 = (index: number): string => createHash('md5').update(String(index)).digest('hex');
const pad = (index: number, digits: number): string => String(index).padStart(digits, '0');
const many = (count: number, key: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => key(index));

describe('splitting a listing', () => {
  test('boundaries are real keys of the range, in order, and leave no range empty, for any keys', async () => {
    const character = fc.constantFrom('a', 'b', 'z', '0', '9', '/', '-', '\u0001', 'é', 'я', '\uffee', '😀');
    const key = fc.string({ unit: character, minLength: 1, maxLength: 12 });
    const bound = fc.option(key, { nil: null });
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { minLength: 1, maxLength: 400 }),
        bound,
        bound,
        fc.integer({ min: 1, max: 20 }),
        async (keys, startAfter, endAt, ranges) => {
          const lister = memoryLister(keys);
          // Small pages stand for large listings.
          const fetch: typeof lister.fetch = (request) =>
            lister.fetch({ ...request, maxKeys: Math.min(4, request.maxKeys ?? 4) });
          const options = { bucket: 'b', prefix: '', ranges, minKeysPerRange: 1, range: { startAfter, endAt } };
          const plan = await planRangesWith(fetch, options);
          const inside = lister.keys.filter(
            (each) =>
              (startAfter === null || compareUtf8(each, startAfter) > 0) &&
              (endAt === null || compareUtf8(each, endAt) <= 0),
          );
          expect(plan.boundaries.length).toBeLessThan(Math.max(1, ranges));
          for (const boundary of plan.boundaries) expect(inside).toContain(boundary);
          expect(plan.boundaries).toEqual(plan.boundaries.toSorted(compareUtf8));
          expect(new Set(plan.boundaries).size).toBe(plan.boundaries.length);
          for (const size of sizesOf(inside, plan.boundaries).slice(0, -1)) expect(size).toBeGreaterThan(0);
          expect(plan.requests).toBe(lister.requests);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('a small listing is read once and not split', async () => {
    const lister = memoryLister(many(900, (index) => `k${index}`));
    const plan = await planRangesWith(lister.fetch, { bucket: 'b', prefix: '', ranges: 16 });
    expect(plan).toEqual({ boundaries: [], estimatedKeys: 900, requests: 1 });
  });

  test('an empty listing is not split', async () => {
    const plan = await planRangesWith(memoryLister([]).fetch, { bucket: 'b', prefix: '', ranges: 16 });
    expect(plan).toEqual({ boundaries: [], estimatedKeys: 0, requests: 1 });
  });

  test('up to 8,000 keys are split exactly, at one request per 1,000 keys', async () => {
    const lister = memoryLister(many(5_000, (index) => `demo/${['logs', 'img', 'tmp'][index % 3]}/${pad(index, 4)}`));
    const plan = await planRangesWith(lister.fetch, { bucket: 'b', prefix: '', ranges: 5 });
    expect(plan.estimatedKeys).toBe(5_000);
    expect(plan.requests).toBe(5);
    for (const size of sizesOf(lister.keys, plan.boundaries)) expect(Math.abs(size - 1_000)).toBeLessThanOrEqual(16);
  });

  test('only the part below the prefix and within the bounds is split', async () => {
    const keys = [...many(6_000, (index) => `a/${pad(index, 5)}`), ...many(6_000, (index) => `b/${pad(index, 5)}`)];
    const lister = memoryLister(keys);
    const range = { startAfter: 'b/00999', endAt: 'b/04999' };
    const plan = await planRangesWith(lister.fetch, { bucket: 'b', prefix: 'b/', ranges: 4, range });
    expect(plan.estimatedKeys).toBe(4_000);
    const inside = lister.keys.filter((key) => key > 'b/00999' && key <= 'b/04999');
    for (const size of sizesOf(inside, plan.boundaries)) expect(Math.abs(size - 1_000)).toBeLessThanOrEqual(16);
  });

  const shapes: Record<string, (index: number) => string> = {
    'zero-padded numbers': (index) => `data/obj-${pad(index, 9)}`,
    'plain numbers': (index) => `data/obj-${index}`,
    'hex digests': md5,
    'fanned-out digests': (index) => `${md5(index).slice(0, 2)}/${md5(index).slice(2, 4)}/${md5(index)}`,
    'base64 digests': (index) => Buffer.from(md5(index), 'hex').toString('base64'),
    'dates and times': (index) => `logs/${new Date(1.7e12 + index * 200_000).toISOString()}-${pad(index % 97, 3)}.gz`,
    'one huge folder among small ones': (index) =>
      index % 10 === 0 ? `${String.fromCharCode(97 + (index % 26))}/${pad(index, 8)}` : `big/${pad(index, 8)}`,
    // A page that begins in one folder and ends in the next, and a last folder that is alone under its letter.
    'folders of digests': (index) =>
      `${['invoices', 'logs', 'sensors', 'thumbnails'][index % 4]}/${md5(index).slice(0, 4)}/${pad(index, 7)}.bin`,
    'few keys between large folders': (index) =>
      index % 1_000 === 0 ? `odd names/${index}` : `${index % 2 === 0 ? 'n' : 'tt'}/${md5(index)}`,
    'Cyrillic names': (index) =>
      Array.from(md5(index).slice(0, 8), (digit) => String.fromCodePoint(0x430 + Number.parseInt(digit, 16) * 2)).join(
        '',
      ),
  };

  test.each(Object.entries(shapes))(
    '40,000 keys that are %s: no range is three times the average',
    async (_name, shape) => {
      const lister = memoryLister(many(40_000, shape));
      const plan = await planRangesWith(lister.fetch, { bucket: 'b', prefix: '', ranges: 16 });
      const sizes = sizesOf(lister.keys, plan.boundaries);
      expect(sizes.length).toBeGreaterThanOrEqual(12);
      expect(Math.max(...sizes)).toBeLessThan((3 * lister.keys.length) / sizes.length);
      expect(plan.requests).toBeLessThan(110);
      expect(plan.estimatedKeys).toBeGreaterThan(20_000);
      expect(plan.estimatedKeys).toBeLessThan(120_000);
    },
  );
});
