import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listPages } from '../../src/list.ts';
import type { KeyRange, PageFetcher } from '../../src/list.ts';
import type { ListPage } from '../../src/operations/list-objects.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';
import { memoryLister } from './memory-lister.ts';

async function keysOf(fetch: PageFetcher, range?: KeyRange, pageSize?: number): Promise<string[]> {
  const keys: string[] = [];
  const options = { bucket: 'b', prefix: '', ...(range && { range }), ...(pageSize && { pageSize }) };
  for await (const page of listPages(fetch, options)) keys.push(...page.map((object) => object.key));
  return keys;
}

function page(keys: string[], nextToken: string | null, truncated = nextToken !== null): ListPage {
  const objects = keys.map((key) => ({ key, keyIsExact: true, sizeBytes: 1, etag: '', lastModifiedMs: 0 }));
  return { objects, truncated, nextToken };
}

describe('listing', () => {
  const key = fc.string({
    unit: fc.constantFrom('a', 'b', '/', '\u0001', 'é', '\uffee', '😀'),
    minLength: 1,
    maxLength: 5,
  });

  test('gives every key of a range once and in order, for any keys, bounds and page size', async () => {
    const bound = fc.option(key, { nil: null });
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { maxLength: 60 }),
        bound,
        bound,
        fc.integer({ min: 1, max: 7 }),
        async (keys, startAfter, endAt, pageSize) => {
          const lister = memoryLister(keys);
          const expected = lister.keys.filter(
            (each) =>
              (startAfter === null || compareUtf8(each, startAfter) > 0) &&
              (endAt === null || compareUtf8(each, endAt) <= 0),
          );
          expect(await keysOf(lister.fetch, { startAfter, endAt }, pageSize)).toEqual(expected);
        },
      ),
    );
  });

  test('asks for one page ahead, and for none beyond the end of the range', async () => {
    const lister = memoryLister(Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0')));
    const pages = listPages(lister.fetch, {
      bucket: 'b',
      prefix: '',
      pageSize: 10,
      range: { startAfter: null, endAt: '019' },
    });
    await pages.next();
    expect(lister.requests).toBe(2);
    await pages.next();
    await pages.next();
    expect(lister.requests).toBe(2);
  });

  test('a truncated page without a token is a named error, not the end', async () => {
    await expect(keysOf(async () => page(['a'], null, true))).rejects.toMatchObject({
      code: 'missing-continuation-token',
      bucket: 'b',
    });
  });

  test('a token that comes twice is a named error, not an endless loop', async () => {
    await expect(
      keysOf(async (request) => page(request.continuationToken ? ['b'] : ['a'], 'same')),
    ).rejects.toMatchObject({ code: 'repeated-continuation-token' });
  });

  test('tokens that lead in a circle are found by the keys', async () => {
    await expect(
      keysOf(async (request) => (request.continuationToken === 'x' ? page(['b'], 'y') : page(['a'], 'x'))),
    ).rejects.toMatchObject({ code: 'unordered-listing' });
  });

  test('keys out of order stop the listing: a checkpoint would be wrong', async () => {
    await expect(keysOf(async () => page(['b', 'a'], null))).rejects.toMatchObject({ code: 'unordered-listing' });
  });

  test('a server that ignores start-after is found out', async () => {
    const range = { startAfter: 'm', endAt: null };
    await expect(keysOf(async () => page(['a', 'z'], null), range)).rejects.toMatchObject({
      code: 'unordered-listing',
    });
  });

  test('a key without the prefix that was asked for, or without a name, is a named error and is not copied', async () => {
    const listing = listPages(async () => page(['a/1', 'b'], null), { bucket: 'b', prefix: 'a/' });
    await expect(listing.next()).rejects.toMatchObject({ code: 'foreign-key' });
    await expect(keysOf(async () => page([''], null))).rejects.toMatchObject({ code: 'foreign-key' });
  });

  test('some empty pages are passed over, endless ones are an error', async () => {
    let calls = 0;
    const some: PageFetcher = async () => (++calls < 5 ? page([], `t${calls}`) : page(['a'], null));
    expect(await keysOf(some)).toEqual(['a']);
    let endless = 0;
    await expect(keysOf(async () => page([], `t${endless++}`))).rejects.toMatchObject({ code: 'endless-listing' });
  });

  test('a consumer that stops early leaves no unhandled failure behind', async () => {
    let calls = 0;
    const fetch: PageFetcher = async () => {
      if (calls++ > 0) throw new Error('later');
      return page(['a'], 't');
    };
    const pages = listPages(fetch, { bucket: 'b', prefix: '' });
    await pages.next();
    await pages.return();
    expect(calls).toBe(2);
  });
});
