import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyRange } from '../../src/copy-range.ts';
import { EMPTY_MANIFEST, chainLine, manifestLine } from '../../src/manifest.ts';
import type { ManifestEntry, ManifestState } from '../../src/manifest.ts';
import { errorReply } from './memory-s3.ts';
import { pad, setUp } from './two-memory-servers.ts';

const entry = fc.record<ManifestEntry>({
  key: fc.string({ unit: 'binary', minLength: 1 }),
  sizeBytes: fc.option(fc.nat()),
  etag: fc.string(),
  verified: fc.constantFrom('md5', 'etag', 'checksum', 'parts', 'size', 'none'),
  action: fc.constantFrom('copied', 'skipped', 'failed'),
});

function digestOf(entries: readonly ManifestEntry[]): string {
  return entries.reduce((state, each) => chainLine(state, manifestLine(each)), EMPTY_MANIFEST as ManifestState).digest;
}

describe('the chain of a manifest', () => {
  test('can be computed by anybody from its lines: SHA-256 over the digest before and the line', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        let expected = Buffer.alloc(32);
        let state: ManifestState = EMPTY_MANIFEST;
        for (const each of entries) {
          const line = JSON.stringify([each.key, each.sizeBytes, each.etag, each.verified, each.action]);
          expected = createHash('sha256').update(expected).update(line, 'utf8').digest();
          state = chainLine(state, manifestLine(each));
        }
        expect(state).toEqual({ digest: expected.toString('hex'), entries: entries.length });
      }),
    );
  });

  test('is another one for any other entries, and for another order', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), fc.array(entry, { maxLength: 5 }), (left, right) => {
        const same = JSON.stringify(left) === JSON.stringify(right);
        expect(digestOf(left) === digestOf(right)).toBe(same);
      }),
    );
  });

  test('refuses to continue from what is no digest', () => {
    expect(() => chainLine({ digest: 'abc', entries: 1 }, 'x')).toThrow(RangeError);
  });
});

describe('the manifest of a run', () => {
  test('names each object once, in order, with what became of it', async () => {
    const { source, target, options } = setUp();
    for (const key of ['a', 'b', 'c', 'd']) source.put(key, `content of ${key}`);
    source.put('e-parts', Buffer.alloc(12_000, 1));
    target.put('b', 'content of b');
    source.intercept = ({ operation, key }) =>
      operation === 'GetObject' && key === 'c' ? errorReply(404, 'NoSuchKey') : undefined;
    const entries: ManifestEntry[] = [];
    const { snapshot } = await copyRange({
      ...options,
      mode: 'incremental',
      onEntry: (each) => void entries.push(each),
    }).result;
    const etag = (key: string): string => target.objects.get(key)?.etag.replaceAll('"', '') ?? '';
    expect(entries).toEqual([
      { key: 'a', sizeBytes: 12, etag: etag('a'), verified: 'md5', action: 'copied' },
      { key: 'b', sizeBytes: 12, etag: etag('b'), verified: 'none', action: 'skipped' },
      { key: 'c', sizeBytes: 12, etag: '', verified: 'none', action: 'failed' },
      { key: 'd', sizeBytes: 12, etag: etag('d'), verified: 'md5', action: 'copied' },
      { key: 'e-parts', sizeBytes: 12_000, etag: etag('e-parts'), verified: 'md5', action: 'copied' },
    ]);
    expect(etag('e-parts')).toMatch(/-4$/);
    const expected = entries.reduce(
      (state, each) => chainLine(state, manifestLine(each)),
      EMPTY_MANIFEST as ManifestState,
    );
    expect(snapshot.manifest).toEqual(expected);
  });

  test('is the same whether the work is done in one run or continued from any checkpoint, at any concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 25 }),
        fc.nat(25),
        fc.integer({ min: 1, max: 8 }),
        async (count, cut, concurrency) => {
          const whole = setUp();
          const halves = setUp();
          for (let index = 0; index < count; index++) {
            for (const { source } of [whole, halves]) source.put(pad(index), `content ${index}`);
          }
          const { snapshot: all } = await copyRange({ ...whole.options, concurrency }).result;
          const end = pad(Math.min(cut, count - 1));
          const range = { startAfter: null, endAt: end };
          const { snapshot: first } = await copyRange({ ...halves.options, concurrency, range }).result;
          expect(first.checkpoint).toBe(end);
          const { checkpoint, manifest } = first;
          const { snapshot: second } = await copyRange({ ...halves.options, concurrency, checkpoint, manifest }).result;
          expect(second.manifest).toEqual(all.manifest);
          expect(all.manifest.entries).toBe(count);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('stays as it was in a dry run', async () => {
    const { source, options } = setUp();
    source.put('a', 'x');
    const { snapshot } = await copyRange({ ...options, dryRun: true }).result;
    expect(snapshot.manifest).toEqual(EMPTY_MANIFEST);
  });
});
