import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { S3Error } from '../../src/errors.ts';
import { listPages } from '../../src/list.ts';
import type { KeyRange, ListOptions, PageFetcher } from '../../src/list.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';
import { memoryLister } from './memory-lister.ts';

const hex = (text: string): string => createHash('md5').update(text).digest('hex');
const pad = (number: number, width: number): string => String(number).padStart(width, '0');

/** Ways to name objects, from the evenest to those that mislead every guess. */
const SHAPES: Record<string, (index: number) => string> = {
  numbers: (index) => `data/${pad(index, 9)}.bin`,
  hashes: (index) => hex(String(index)),
  folders: (index) => `2026/${pad(index % 12, 2)}/${pad(index % 28, 2)}/${hex(String(index)).slice(0, 12)}`,
  'one folder of many': (index) => (index % 50 === 0 ? `${hex(String(index)).slice(0, 6)}/x` : `m/${pad(index, 7)}`),
  'growing numbers': (index) => `${index}`,
  unicode: (index) => `é/😀${pad(index % 7, 1)}/\uffee${index.toString(36)}/\u0001`,
  'long and alike': (index) => `${'x'.repeat(300)}/${pad(index, 8)}/${'y'.repeat(50)}`,
  'half in one place': (index) => (index % 2 === 0 ? `a/${pad(index, 8)}` : `z/${hex(String(index))}`),
};

async function keysOf(fetch: PageFetcher, options: Partial<ListOptions>): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of listPages(fetch, { bucket: 'b', prefix: '', ...options })) {
    keys.push(...page.map((object) => object.key));
  }
  return keys;
}

/** Answers all requests that are under way together: the number of rounds is the time that a listing takes. */
function inRounds(fetch: PageFetcher) {
  const state = { rounds: 0, most: 0 };
  let waiting: (() => void)[] = [];
  const fetcher: PageFetcher = async (request) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length > 1) return;
      setImmediate(() => {
        state.rounds++;
        state.most = Math.max(state.most, waiting.length);
        for (const wake of waiting.splice(0)) wake();
      });
    });
    return fetch(request);
  };
  return { state, fetcher };
}

describe('several listings at once', () => {
  test('give what one gives, in order, for any keys, range, page size and order of answers', async () => {
    const shape = fc.constantFrom(...Object.values(SHAPES));
    const wild = fc.string({
      unit: fc.constantFrom('a', 'b', '/', '\u0001', '\uffee', '😀'),
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        shape,
        fc.nat(500),
        fc.array(wild, { maxLength: 30 }),
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 12 }),
        async (scheduler, name, count, others, [low, high], pageSize, listings) => {
          const lister = memoryLister([...Array.from({ length: count }, (_, index) => name(index)), ...others]);
          const at = (place: number): string | null => lister.keys[Math.floor(place * lister.keys.length)] ?? null;
          const range: KeyRange = { startAfter: low < 0.3 ? null : at(low / 2), endAt: high > 0.7 ? null : at(high) };
          const expected = lister.keys.filter(
            (key) =>
              (range.startAfter === null || compareUtf8(key, range.startAfter) > 0) &&
              (range.endAt === null || compareUtf8(key, range.endAt) <= 0),
          );
          const fetch = scheduler.scheduleFunction(lister.fetch);
          expect(await scheduler.waitFor(keysOf(fetch, { range, pageSize, listings }))).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('lose no key and give none twice when the server reads what we make up in another way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.values(SHAPES)), fc.integer(), async (name, seed) => {
        const lister = memoryLister(Array.from({ length: 600 }, (_, index) => name(index)));
        const known = new Set(lister.keys);
        let random = Math.abs(seed) + 1;
        const fetch: PageFetcher = (request) => {
          const { startAfter = null } = request;
          if (startAfter === null || known.has(startAfter)) return lister.fetch(request);
          random = (random * 48_271) % 2_147_483_647;
          return lister.fetch({ ...request, startAfter: lister.keys[random % lister.keys.length]! });
        };
        expect(await keysOf(fetch, { pageSize: 5, listings: 4 })).toEqual(lister.keys);
      }),
      { numRuns: 60 },
    );
  });

  test('give keys that are no text once and in their places', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 2, max: 7 }), async (each, pageSize) => {
        const lister = memoryLister(Array.from({ length: 600 }, (_, index) => pad(index, 6)));
        const fetch: PageFetcher = async (request) => {
          const page = await lister.fetch(request);
          const objects = page.objects.map((object) => ({ ...object, keyIsExact: Number(object.key) % 7 < each }));
          return { ...page, objects };
        };
        expect(await keysOf(fetch, { pageSize, listings: 4 })).toEqual(lister.keys);
      }),
    );
  });

  test.each(Object.entries(SHAPES))(
    'are faster and cost few requests more: %s',
    async (_, name) => {
      const lister = memoryLister(Array.from({ length: 60_000 }, (__, index) => name(index)));
      const pages = lister.keys.length / 100;
      const { state, fetcher } = inRounds(lister.fetch);
      expect(await keysOf(fetcher, { pageSize: 100, listings: 8 })).toHaveLength(lister.keys.length);
      expect(state.most).toBeLessThanOrEqual(8);
      expect(lister.requests).toBeLessThan(pages * 1.25);
      expect(state.rounds).toBeLessThan(pages * 0.6);
    },
    30_000,
  );

  test('cost one request a page, and no more, while nobody waits for them', async () => {
    const lister = memoryLister(Array.from({ length: 5_000 }, (_, index) => pad(index, 6)));
    const pages = listPages(lister.fetch, { bucket: 'b', prefix: '', pageSize: 100, listings: 8 });
    for await (const _ of pages) await new Promise((resolve) => setImmediate(resolve));
    expect(lister.requests).toBe(50);
  });

  test('cost one request a page in a small listing', async () => {
    const lister = memoryLister(Array.from({ length: 400 }, (_, index) => pad(index, 6)));
    await keysOf(lister.fetch, { pageSize: 100, listings: 8 });
    expect(lister.requests).toBe(4);
  });

  test('hold a bounded number of pages, however long nobody takes one', async () => {
    const lister = memoryLister(Array.from({ length: 40_000 }, (_, index) => pad(index, 6)));
    const listings = 4;
    const pages = listPages(lister.fetch, { bucket: 'b', prefix: '', pageSize: 20, listings });
    let taken = 0;
    let most = 0;
    while (taken < 2_000 && !(await pages.next()).done) {
      taken++;
      if (taken % 100 !== 0) continue;
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, lister.requests - taken);
    }
    expect(taken).toBe(2_000);
    // Pages of looks ahead that were thrown away count here too.
    expect(most).toBeLessThanOrEqual((listings + 2) * 8 + 2_000 / 8);
  });

  test('go on with one when the server refuses to list from a text that is no key', async () => {
    const lister = memoryLister(Array.from({ length: 3_000 }, (_, index) => pad(index, 6)));
    const known = new Set(lister.keys);
    const fetch: PageFetcher = (request) => {
      const after = request.startAfter ?? null;
      if (after === null || known.has(after)) return lister.fetch(request);
      const nowhere = { bucket: 'b', key: null, requestId: null, operation: 'ListObjectsV2' } as const;
      throw new S3Error({ ...nowhere, code: 'InvalidArgument', message: 'no', status: 400 });
    };
    expect(await keysOf(async (request) => fetch(request), { pageSize: 20, listings: 4 })).toEqual(lister.keys);
  });

  test('end with the error of the part that failed, after all that lies before it', async () => {
    const lister = memoryLister(Array.from({ length: 4_000 }, (_, index) => pad(index, 6)));
    const fetch: PageFetcher = async (request) => {
      const page = await lister.fetch(request);
      return page.objects.some(({ key }) => key === '003000') ? { ...page, truncated: true, nextToken: null } : page;
    };
    const keys: string[] = [];
    const listing = (async () => {
      for await (const page of listPages(fetch, { bucket: 'b', prefix: '', pageSize: 20, listings: 4 })) {
        keys.push(...page.map(({ key }) => key));
      }
    })();
    await expect(listing).rejects.toMatchObject({ code: 'missing-continuation-token' });
    expect(keys).toEqual(lister.keys.slice(0, keys.length));
    expect(keys.length).toBeGreaterThanOrEqual(2_960);
  });
});
