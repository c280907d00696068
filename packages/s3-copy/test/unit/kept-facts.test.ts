import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyRange } from '../../src/copy-range.ts';
import type { CopyRangeOptions } from '../../src/copy-range.ts';
import type { CopyWarning } from '../../src/learned.ts';
import { encodedWords } from '../../src/encoded-metadata.ts';
import { taggingHeader } from '../../src/operations/tags.ts';
import { errorReply } from './memory-s3.ts';
import { pad, setUp } from './two-memory-servers.ts';

/** Small, streamed and in parts. */
const SIZES = { small: 10, streamed: 5_000, parts: 12_000 };

function tagged(tags = 'team=a%20b&%C3%BC=%26') {
  const up = setUp();
  for (const [key, bytes] of Object.entries(SIZES)) {
    up.source.put(key, Buffer.alloc(bytes, key), { 'x-amz-tagging-count': '2' });
    up.source.objects.get(key)!.tags = tags;
  }
  const warnings: CopyWarning[] = [];
  const options: CopyRangeOptions = { ...up.options, onWarning: (warning) => void warnings.push(warning) };
  return { ...up, options, warnings };
}

describe('tags', () => {
  test.each([true, false])('arrive with objects of every size (tags of uploads stay: %s)', async (tagsOfUploads) => {
    const { target, options, warnings } = tagged();
    target.features.tagsOfUploads = tagsOfUploads;
    await copyRange(options).result;
    for (const key of Object.keys(SIZES)) expect(target.objects.get(key)!.tags).toBe('team=a%20b&%C3%BC=%26');
    expect(warnings).toEqual([]);
  });

  test('of any text are written so that they read the same', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.record({ key: text, value: text }), { maxLength: 10 }), (tags) => {
        const read = new URLSearchParams(taggingHeader(tags));
        expect([...read].map(([key, value]) => ({ key, value }))).toEqual(tags);
      }),
    );
  });

  test('cost no request where there are none', async () => {
    const { source, target, options } = setUp();
    source.put('a', 'x');
    await copyRange(options).result;
    expect([...source.log, ...target.log]).toEqual(['ListObjectsV2', 'GetObject', 'PutObject']);
  });

  test('are left out at a target that stores none: said once, counted for each object, and nothing fails', async () => {
    const { source, target, options, warnings, failures } = tagged();
    for (let index = 0; index < 30; index++) {
      source.put(pad(index), 'x', { 'x-amz-tagging-count': '1' });
      source.objects.get(pad(index))!.tags = 'a=b';
    }
    target.features.tags = false;
    const { snapshot } = await copyRange(options).result;
    expect(failures).toEqual([]);
    expect(snapshot.live).toMatchObject({ objectsCopied: 33 });
    expect(warnings).toMatchObject([{ code: 'tags-not-supported' }]);
    expect(snapshot.warnings).toEqual({ 'tags-not-supported': 33 });
    expect(target.uploads.size).toBe(0);
  });

  test('that may not be read are left out and reported', async () => {
    const { source, options, warnings } = tagged();
    source.intercept = ({ operation }) =>
      operation === 'GetObjectTagging' ? errorReply(403, 'AccessDenied') : undefined;
    const { snapshot } = await copyRange(options).result;
    expect(snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0 });
    expect(warnings).toMatchObject([{ code: 'tags-not-readable' }]);
  });
});

describe('the storage class', () => {
  test('is kept where the target knows it', async () => {
    const { source, target, options } = setUp();
    source.put('cold', 'x', { 'x-amz-storage-class': 'STANDARD_IA' });
    source.put('plain', 'x', { 'x-amz-storage-class': 'STANDARD' });
    await copyRange(options).result;
    expect(target.objects.get('cold')!.headers).toEqual({ 'x-amz-storage-class': 'STANDARD_IA' });
    expect(target.objects.get('plain')!.headers).toEqual({});
  });

  test.each([
    [400, 'InvalidStorageClass'],
    [400, 'InvalidArgument'],
  ])('is left out where the target refuses it with %i %s', async (status, code) => {
    const { source, target, options } = setUp();
    for (const key of ['a', 'b']) source.put(key, Buffer.alloc(12_000), { 'x-amz-storage-class': 'GLACIER_IR' });
    source.put('c', 'x', { 'x-amz-storage-class': 'GLACIER_IR' });
    target.intercept = ({ headers }) => (headers.has('x-amz-storage-class') ? errorReply(status, code) : undefined);
    const { snapshot } = await copyRange(options).result;
    expect(snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0 });
    expect(snapshot.warnings).toEqual({ 'storage-class-not-supported': 3 });
  });

  test('of an object in an archive fails that object and no other', async () => {
    const { source, options, failures } = setUp();
    for (let index = 0; index < 40; index++) source.put(pad(index), 'x');
    source.intercept = ({ operation, key }) =>
      operation === 'GetObject' && key < pad(20) ? errorReply(403, 'InvalidObjectState') : undefined;
    const result = await copyRange({ ...options, concurrency: 4 }).result;
    expect(result).toMatchObject({ state: 'completed', snapshot: { live: { objectsCopied: 20, objectsFailed: 20 } } });
    expect(failures[0]).toMatchObject({ code: 'InvalidObjectState' });
  });
});

/** What a reader of encoded words sees, as mail programs do (RFC 2047). */
function readWords(value: string): string {
  const words = value.replaceAll(/\?= =\?/g, '?==?').matchAll(/=\?UTF-8\?B\?([^?]*)\?=/g);
  return [...words].map(([, base64 = '']) => Buffer.from(base64, 'base64').toString('utf8')).join('');
}

describe('metadata beyond ASCII', () => {
  const text = 'Grüße 漢字 '.repeat(12).trim();
  const value = Buffer.from(text, 'utf8').toString('latin1');

  test('arrives byte for byte at a target that gives it back so, and one look is enough', async () => {
    const { source, target, options } = setUp();
    for (const [key, bytes] of Object.entries(SIZES)) source.put(key, Buffer.alloc(bytes), { 'x-amz-meta-a': value });
    await copyRange({ ...options, concurrency: 1 }).result;
    for (const key of Object.keys(SIZES)) expect(target.objects.get(key)!.headers['x-amz-meta-a']).toBe(value);
    expect(target.log.filter((each) => each === 'HeadObject')).toHaveLength(1);
  });

  test('arrives readable at a target that would garble it', async () => {
    const { source, target, options } = setUp();
    target.features.encodesMetadata = true;
    for (const [key, bytes] of Object.entries(SIZES)) source.put(key, Buffer.alloc(bytes), { 'x-amz-meta-a': value });
    const { snapshot } = await copyRange(options).result;
    expect(snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0 });
    for (const key of Object.keys(SIZES)) {
      expect(readWords(target.objects.get(key)!.headers['x-amz-meta-a']!)).toBe(text);
    }
    expect(target.uploads.size).toBe(0);
  });

  test('becomes words of at most 75 characters of ASCII that read as the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }), (any) => {
        const words = encodedWords(Buffer.from(any, 'utf8').toString('latin1'));
        expect(readWords(words)).toBe(any);
        for (const word of words.split(' ')) expect(word).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]{0,60}\?=$/);
      }),
    );
    expect(readWords(encodedWords('Gr\xfc\xdfe'))).toBe('Grüße');
  });
});
