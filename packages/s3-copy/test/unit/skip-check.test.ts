import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSkipped } from '../../src/skip-check.ts';
import type { ComparedObject } from '../../src/skip-check.ts';

const A = '"0123456789abcdef0123456789abcdef"';
const B = '"ffffffffffffffffffffffffffffffff"';
const AT = Date.UTC(2026, 10, 30, 7, 0, 5);
const base: ComparedObject = { sizeBytes: 5, etag: A, lastModifiedMs: AT };
const incremental = (source: Partial<ComparedObject>, target: Partial<ComparedObject>, verifyEtags = true): boolean =>
  isSkipped('incremental', { ...base, ...source }, { ...base, ...target }, verifyEtags);

describe('an object that the target has', () => {
  test('is copied by copy-all and left alone by target-skip, whatever it is', () => {
    const object = fc.record({
      sizeBytes: fc.option(fc.nat(2), { nil: null }),
      etag: fc.constantFrom(A, B, '', '"x-1"'),
      lastModifiedMs: fc.option(fc.nat(2), { nil: null }),
    });
    fc.assert(
      fc.property(object, object, (source, target) => {
        expect(isSkipped('copy-all', source, target)).toBe(false);
        expect(isSkipped('target-skip', source, target)).toBe(true);
      }),
    );
  });

  test('is copied again when its size or its content differs, or when the source is newer', () => {
    expect(incremental({}, {})).toBe(true);
    expect(incremental({}, { sizeBytes: 6 })).toBe(false);
    expect(incremental({}, { etag: B, lastModifiedMs: AT + 60_000 })).toBe(false);
    expect(incremental({ lastModifiedMs: AT + 1_000 }, {})).toBe(false);
    expect(incremental({ etag: '"abc-3"' }, { lastModifiedMs: AT + 1_000 })).toBe(true);
  });

  test('within the same second counts as unchanged only when the content is known to be the same', () => {
    expect(incremental({ lastModifiedMs: AT + 900 }, {})).toBe(true);
    expect(incremental({ lastModifiedMs: AT + 900, etag: '' }, {})).toBe(false);
  });

  test('in parts is compared by its ETag only where that shows that nothing changed', () => {
    const parts = '"0123456789abcdef0123456789abcdef-3"';
    expect(incremental({ etag: parts }, { etag: parts.replaceAll('"', '') })).toBe(true);
    // The same number of parts, but perhaps of other sizes: counted as changed, it would be copied for ever.
    expect(incremental({ etag: parts }, { etag: parts.replace('0', '1'), lastModifiedMs: AT + 1_000 })).toBe(true);
    expect(incremental({ etag: parts }, { etag: A, lastModifiedMs: AT + 1_000 })).toBe(true);
  });

  test('without a date is left alone only when the content is known to be the same', () => {
    for (const side of ['source', 'target'] as const) {
      const undated = { lastModifiedMs: null };
      const check = (etag: string): boolean =>
        side === 'source' ? incremental({ ...undated, etag }, {}) : incremental({ etag }, undated);
      expect(check(A)).toBe(true);
      expect(check('')).toBe(false);
    }
  });

  test('is not judged by ETags where they are no MD5s', () => {
    expect(incremental({}, { etag: B, lastModifiedMs: AT + 1_000 }, false)).toBe(true);
    expect(incremental({}, {}, false)).toBe(false);
  });

  test('that was just copied is never copied again, whatever ETags the servers make', () => {
    const etag = fc.oneof(
      fc.nat().map((number) => number.toString(16).padStart(32, '0')),
      fc.constantFrom('', '"weak"', '"0123456789abcdef0123456789abcdef-2"'),
    );
    fc.assert(
      fc.property(etag, etag, fc.nat(9), fc.integer({ min: 1_000, max: 9_000 }), (source, target, size, laterMs) => {
        const md5s = /^[0-9a-f]{32}$/;
        // Two servers that both store MD5s store the same one.
        fc.pre(!(md5s.test(source) && md5s.test(target)) || source === target);
        const copy = { etag: target, lastModifiedMs: AT + laterMs, sizeBytes: size };
        expect(incremental({ etag: source, sizeBytes: size }, copy)).toBe(true);
      }),
    );
  });
});
