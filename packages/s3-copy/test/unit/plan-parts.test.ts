import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMultipartEtag, md5OfEtag, multipartEtag, sameEtag } from '../../src/etag.ts';
import { keptHeaders } from '../../src/object-headers.ts';
import { DEFAULT_PART_BYTES } from '../../src/defaults.ts';
import { MAX_PARTS, partSizeFor, planParts } from '../../src/plan-parts.ts';
import { ResponseHeaders } from '../../src/response-headers.ts';
import { isSkipped } from '../../src/skip-check.ts';
import { S3Client } from '../../src/client.ts';
import { newCopyPlan, targetKeyOf } from '../../src/copy-plan.ts';
import type { CopyPlan, CopySide } from '../../src/copy-plan.ts';

const TIB = 1024 ** 4;

describe('parts', () => {
  test('cover an object without gap or overlap, and are never more than 10,000', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200_000_000 }),
        fc.integer({ min: 4_096, max: 10_000_000 }),
        (size, wanted) => {
          const parts = planParts(size, wanted);
          const gaps = parts.filter((part, index) => {
            const before = parts[index - 1]?.last ?? -1;
            return part.partNumber !== index + 1 || part.first !== before + 1 || part.last < part.first;
          });
          expect(gaps).toEqual([]);
          expect(parts.at(-1)?.last).toBe(size - 1);
          expect(parts.length).toBeLessThanOrEqual(MAX_PARTS);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('128 MiB make 16 parts of 8 MiB; a byte more makes a seventeenth', () => {
    expect(planParts(128 * 1024 ** 2, DEFAULT_PART_BYTES)).toHaveLength(16);
    expect(planParts(128 * 1024 ** 2 + 1, DEFAULT_PART_BYTES)).toHaveLength(17);
  });

  test('grow in whole mebibytes where 8 MiB would make too many', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 * TIB }), (size) => {
        const bytes = partSizeFor(size, DEFAULT_PART_BYTES);
        expect(Math.ceil(size / bytes)).toBeLessThanOrEqual(MAX_PARTS);
        expect(bytes % (1024 * 1024)).toBe(0);
        expect(bytes === DEFAULT_PART_BYTES || size > DEFAULT_PART_BYTES * MAX_PARTS).toBe(true);
      }),
    );
  });
});

describe('ETags', () => {
  const md5 = createHash('md5').update('x').digest('hex');

  test('are taken for an MD5 only when they have its form', () => {
    expect(md5OfEtag(`"${md5.toUpperCase()}"`)).toBe(md5);
    expect(md5OfEtag(md5)).toBe(md5);
    for (const other of [`"${md5}-3"`, `W/"${md5}"`, '""', '', 'abc']) expect(md5OfEtag(other)).toBeNull();
  });

  test('of multipart objects are the MD5 of the MD5s and the number of parts', () => {
    // Two parts of 5 MiB zeros and one byte, as made by a real server.
    const parts = [Buffer.alloc(5 * 1024 * 1024), Buffer.alloc(1)].map((part) =>
      createHash('md5').update(part).digest(),
    );
    expect(multipartEtag(parts)).toMatch(/^[0-9a-f]{32}-2$/);
    expect(isMultipartEtag(`"${multipartEtag(parts)}"`)).toBe(true);
    expect(sameEtag(`"${multipartEtag(parts).toUpperCase()}"`, multipartEtag(parts))).toBe(true);
  });
});

describe('the check of the target', () => {
  const base = { sizeBytes: 10, etag: `"${'a'.repeat(32)}"`, lastModifiedMs: 5_000 };
  const parts = `"${'a'.repeat(32)}-2"`;

  test.each([
    ['copy-all', base, base, false],
    ['target-skip', base, { ...base, sizeBytes: 99, etag: '' }, true],
    ['incremental', base, { ...base, lastModifiedMs: 6_000 }, true],
    ['incremental', base, { ...base, lastModifiedMs: 6_000, sizeBytes: 11 }, false],
    ['incremental', base, { ...base, lastModifiedMs: 6_000, etag: `"${'b'.repeat(32)}"` }, false],
    ['incremental', base, { ...base, lastModifiedMs: 4_000 }, false],
    // Only part sizes differ: not copied again for ever.
    ['incremental', { ...base, etag: parts }, { ...base, lastModifiedMs: 6_000, etag: `"${'c'.repeat(32)}-9"` }, true],
    // Within one second the content decides, and where it cannot, the copy is made.
    ['incremental', { ...base, lastModifiedMs: 5_900 }, base, true],
    ['incremental', { ...base, lastModifiedMs: 5_900, etag: parts }, base, false],
  ] as const)('%s of %j over %j: skipped %s', (mode, source, target, skipped) => {
    expect(isSkipped(mode, source, target)).toBe(skipped);
  });
});

describe('headers', () => {
  test('of the object are kept, those of the answer are not', () => {
    const source = new ResponseHeaders(
      Object.entries({
        Date: 'now',
        ETag: '"x"',
        'Content-Length': '3',
        'Content-Type': 'text/plain; charset=latin1',
        'Cache-Control': 'no-cache',
        'Content-Disposition': 'attachment; filename="a"',
        'Content-Encoding': 'gzip,aws-chunked',
        'Content-Language': 'de',
        Expires: '0',
        'X-Amz-Meta-Note': 'Gr\u00fc\u00dfe',
        'x-amz-request-id': 'r',
      }).flat(),
    );
    expect(Object.fromEntries(keptHeaders(source))).toEqual({
      'content-type': 'text/plain; charset=latin1',
      'cache-control': 'no-cache',
      'content-disposition': 'attachment; filename="a"',
      'content-encoding': 'gzip',
      'content-language': 'de',
      expires: '0',
      'x-amz-meta-note': 'Gr\u00fc\u00dfe',
    });
  });

  test('a content encoding that is only the form of an upload disappears', () => {
    expect(keptHeaders(new ResponseHeaders(['content-encoding', 'aws-chunked']))).toEqual([]);
  });

  test('metadata in UTF-8 keeps its bytes', () => {
    const raw = [Buffer.from('x-amz-meta-name'), Buffer.from('Grüße 漢', 'utf8')];
    const [[, value] = ['', '']] = keptHeaders(new ResponseHeaders(raw));
    expect(Buffer.from(value, 'latin1').toString('utf8')).toBe('Grüße 漢');
  });
});

describe('names at the target', () => {
  const client = new S3Client({
    url: 'http://h',
    region: 'r',
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
  });
  const side = (prefix: string): CopySide => ({ client, bucket: 'b', prefix });
  const plan = (source: string, target: string): CopyPlan =>
    newCopyPlan({ source: side(source), target: side(target), mode: 'copy-all' });

  test('are the target prefix followed by the key without the source prefix', () => {
    expect(targetKeyOf(plan('a/', 'x/y/'), 'a/b/c')).toBe('x/y/b/c');
    expect(targetKeyOf(plan('', ''), '//..//')).toBe('//..//');
    expect(targetKeyOf(plan('a/', ''), 'a//b')).toBe('/b');
  });

  test('are refused when empty, too long, or not below the source prefix', () => {
    expect(targetKeyOf(plan('a/', ''), 'a/')).toBeNull();
    expect(targetKeyOf(plan('', 'p/'), 'é'.repeat(512))).toBeNull();
    expect(targetKeyOf(plan('', ''), 'é'.repeat(512))).not.toBeNull();
    expect(targetKeyOf(plan('a/', 'x/'), 'b')).toBeNull();
  });
});
