import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cancellation, CancelledError } from '../../src/cancellation.ts';
import { copyRange } from '../../src/copy-range.ts';
import { MAX_PARTS, partSizeFor, planParts } from '../../src/plan-parts.ts';
import { OrderedDigest } from '../../src/ordered-digest.ts';
import { guessPartBytes } from '../../src/part-layout.ts';
import { createMd5 } from '../../src/sigv4.ts';
import { setUp } from './two-memory-servers.ts';

const MIB = 1024 * 1024;
const bytesOf = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, index) => (index * 11) % 241));

/** Cuts a size into parts. */
const cuts = fc
  .array(fc.integer({ min: 1, max: 6_000 }), { minLength: 2, maxLength: 12 })
  .filter((sizes) => sizes.reduce((sum, size) => sum + size, 0) >= 10_000);

describe('the layout of parts', () => {
  test('is that of the source where it tells, and the ETags are equal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1_000, max: 9_000 }),
        fc.integer({ min: 10_000, max: 40_000 }),
        async (size, total) => {
          const { source, target, options } = setUp();
          const sizes = planParts(total, size).map(({ first, last }) => last - first + 1);
          source.putInParts('a', bytesOf(total), sizes);
          await copyRange(options).result;
          expect(target.objects.get('a')!.etag).toBe(source.objects.get('a')!.etag);
          // HEAD, create, N GETs, N parts, complete: asking for the first part is the one HEAD.
          expect(source.log.length + target.log.length - 1).toBe(2 * sizes.length + 3);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('any cut of the source yields the same bytes, and the same ETag unless it looks like an even cut', async () => {
    await fc.assert(
      fc.asyncProperty(cuts, async (sizes) => {
        const { source, target, options } = setUp();
        const total = sizes.reduce((sum, size) => sum + size, 0);
        source.putInParts('a', bytesOf(total), sizes);
        const { snapshot } = await copyRange(options).result;
        expect(snapshot.live).toMatchObject({ objectsCopied: 1, objectsFailed: 0 });
        expect(target.objects.get('a')!.bytes).toEqual(bytesOf(total));
        const looksEven = Math.ceil(total / sizes[0]!) === sizes.length;
        const same = target.objects.get('a')!.etag === source.objects.get('a')!.etag;
        expect(same || looksEven).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test.each([false, 405] as const)(
    'is found from the ETag where the source does not tell (part numbers: %s)',
    async (partNumbers) => {
      const { source, target, options } = setUp();
      source.features.partNumbers = partNumbers;
      for (const key of ['a', 'b', 'c']) source.putInParts(key, bytesOf(11_000), [3_000, 3_000, 3_000, 2_000]);
      await copyRange({ ...options, concurrency: 1 }).result;
      for (const key of ['a', 'b', 'c']) expect(target.objects.get(key)!.etag).toBe(source.objects.get(key)!.etag);
      // A refusal is asked for once and not again for each object.
      expect(source.log.filter((each) => each === 'HeadObject')).toHaveLength(partNumbers === 405 ? 4 : 3);
    },
  );

  test('a size that programs use is recognised from the number of parts', () => {
    for (const size of [5, 8, 15, 16, 64]) {
      const total = 3 * 1024 * MIB + 12_345;
      const count = Math.ceil(total / (size * MIB));
      const guess = guessPartBytes(total, count, 8 * MIB);
      expect(Math.ceil(total / guess!)).toBe(count);
      expect(guess).toBe(size * MIB);
    }
    expect(guessPartBytes(1_000, 7, 8 * MIB)).toBeNull();
  });

  test('is cut into larger parts beyond 10,000 of them, up to the largest object of S3', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 * 1024 ** 4 }),
        fc.constantFrom(5 * MIB, 8 * MIB, 64 * MIB),
        (size, wanted) => {
          const bytes = partSizeFor(size, wanted);
          expect(Math.ceil(size / bytes)).toBeLessThanOrEqual(MAX_PARTS);
          expect(bytes).toBeGreaterThanOrEqual(wanted);
          expect(bytes).toBeLessThanOrEqual(5 * 1024 ** 3);
        },
      ),
    );
  });
});

describe('the MD5 of a whole object that comes in parts', () => {
  test('is that of its bytes, in whatever order parts are finished, and few wait at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(fc.nat()),
        async (parts, window, choices) => {
          const digest = new OrderedDigest(window);
          const cancellation = new Cancellation();
          const begun: number[] = [];
          const blocked = new Set<number>();
          const begin = (partNumber: number): void => {
            const room = digest.room(partNumber, cancellation);
            if (room === undefined) begun.push(partNumber);
            else {
              blocked.add(partNumber);
              void room.then(() => {
                blocked.delete(partNumber);
                begun.push(partNumber);
              });
            }
          };
          for (let next = 1; next <= Math.min(window + 1, parts.length); next++) begin(next);
          let started = Math.min(window + 1, parts.length);
          for (let done = 0; done < parts.length; done++) {
            expect(begun.length).toBeLessThanOrEqual(window);
            const [partNumber] = begun.splice(choices.next().value! % begun.length, 1);
            digest.add(partNumber!, [Buffer.from(parts[partNumber! - 1]!)]);
            // Lets those that have room now begin.
            await Promise.resolve();
            await Promise.resolve();
            if (started < parts.length && blocked.size === 0) begin(++started);
          }
          const md5 = createMd5();
          for (const part of parts) md5.update(part);
          expect(digest.hex(parts.length)).toBe(md5.digest().toString('hex'));
        },
      ),
    );
  });

  test('waits for room no longer than the copy lives', async () => {
    const digest = new OrderedDigest(1);
    const cancellation = new Cancellation();
    const room = digest.room(2, cancellation);
    cancellation.cancel(new CancelledError('stop'));
    await expect(room).rejects.toThrow('stop');
  });

  test('finds damage on the way from the source, and the object is never completed', async () => {
    const { source, target, options, failures } = setUp();
    source.put('a', bytesOf(11_000));
    source.objects.get('a')!.etag = `"${'0'.repeat(32)}"`;
    await copyRange(options).result;
    expect(failures).toMatchObject([{ key: 'a', code: 'checksum-mismatch' }]);
    expect(target.objects.size).toBe(0);
    expect(target.uploads.size).toBe(0);
    expect(target.log).not.toContain('CompleteMultipartUpload');
  });
});
