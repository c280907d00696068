import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TargetListing } from '../../src/target-listing.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';
import { memoryLister } from './memory-lister.ts';
import type { MemoryLister } from './memory-lister.ts';

const pad = (number: number): string => String(number).padStart(7, '0');

async function lookUp(lister: MemoryLister, keys: string[], pageSize: number, listings = 1) {
  const listing = new TargetListing(lister.fetch, { bucket: 'b', prefix: '', pageSize, listings });
  const found: { key: string; there: boolean | null }[] = [];
  for (const key of keys) {
    if (!listing.knows(key)) await listing.readTo(key);
    const object = listing.find(key);
    found.push({ key, there: object === 'unknown' ? null : object !== 'absent' && object.key === key });
  }
  await listing.close();
  return found;
}

describe('looking keys up in a listing of the target', () => {
  test('tells for each key whether it is there, or that it has to be asked for; never something wrong', async () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '/', '😀', '\uffee'), minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { maxLength: 120 }),
        fc.array(key, { maxLength: 40 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 4 }),
        async (there, wanted, pageSize, listings) => {
          const lister = memoryLister(there);
          const keys = [...new Set(wanted)].sort(compareUtf8);
          for (const { key: each, there: isThere } of await lookUp(lister, keys, pageSize, listings)) {
            expect([each, isThere ?? lister.keys.includes(each)]).toEqual([each, lister.keys.includes(each)]);
          }
        },
      ),
    );
  });

  test('costs one request a page where the keys lie close together, and tells all of them', async () => {
    const all = Array.from({ length: 10_000 }, (_, index) => pad(index));
    const lister = memoryLister(all.filter((_, index) => index % 3 !== 0));
    const found = await lookUp(lister, all, 1_000);
    expect(found.every(({ there }, index) => there === (index % 3 !== 0))).toBe(true);
    expect(lister.requests).toBe(7);
  });

  test('costs little more than asking where they lie far apart', async () => {
    const lister = memoryLister(Array.from({ length: 200_000 }, (_, index) => pad(index)));
    const keys = lister.keys.filter((_, index) => index % 2_000 === 999);
    const found = await lookUp(lister, keys, 100);
    const asked = found.filter(({ there }) => there === null).length;
    expect(lister.requests + asked).toBeLessThan(keys.length + 60);
  });

  test('goes back to listing where they lie close together again', async () => {
    const lister = memoryLister(Array.from({ length: 60_000 }, (_, index) => pad(index)));
    const keys = lister.keys.filter((_, index) => (index < 30_000 ? index % 1_500 === 0 : true));
    const found = await lookUp(lister, keys, 100);
    const asked = found.filter(({ there }) => there === null).length;
    expect(asked).toBeLessThan(100);
    expect(lister.requests).toBeLessThan(30_000 / 100 + 60);
  });

  test('asks for nothing before the first key, and for nothing behind the last', async () => {
    const lister = memoryLister(Array.from({ length: 1_000 }, (_, index) => pad(index)));
    expect(await lookUp(lister, [], 100)).toEqual([]);
    expect(lister.requests).toBe(0);
    await lookUp(lister, [pad(5), pad(50)], 100);
    // The page that holds them, and the one that is read ahead of it.
    expect(lister.requests).toBe(2);
  });
});
