import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyRange } from '../../src/copy-range.ts';
import type { ManifestEntry } from '../../src/manifest.ts';
import type { MemoryS3 } from './memory-s3.ts';
import { contentOf, pad, setUp } from './two-memory-servers.ts';

const count = (server: MemoryS3, operation: string): number => server.log.filter((each) => each === operation).length;

describe('a run that goes on after one that was killed', () => {
  test('copies again only what is missing, older than the work, or other content; the counters know no difference', async () => {
    const state = fc.constantFrom('missing' as const, 'ours' as const, 'older' as const, 'other' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(state, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), async (states, pageSize) => {
        const { source, target, options } = setUp();
        const sinceMs = source.nowMs;
        for (const [index, each] of states.entries()) {
          const key = pad(index);
          source.put(key, `content of ${index}`);
          if (each === 'ours') target.put(key, `content of ${index}`, {}, sinceMs + 5_000);
          if (each === 'older') target.put(key, `content of ${index}`, {}, sinceMs - 5_000);
          if (each === 'other') target.put(key, `CONTENT of ${index}`, {}, sinceMs + 5_000);
        }
        const entries: ManifestEntry[] = [];
        const run = copyRange({
          ...options,
          mode: 'copy-all',
          copiedSinceMs: sinceMs,
          pageSize,
          onEntry: (entry) => void entries.push(entry),
        });
        const { state: end, snapshot } = await run.result;
        expect(end).toBe('completed');
        expect(snapshot.live).toMatchObject({ objectsCopied: states.length, objectsSkipped: 0, objectsFailed: 0 });
        expect(count(target, 'PutObject')).toBe(states.filter((each) => each !== 'ours').length);
        expect(contentOf(target)).toEqual(contentOf(source));
        expect(entries.map(({ action, verified }) => `${action} ${verified}`)).toEqual(states.map(() => 'copied md5'));
      }),
      { numRuns: 100 },
    );
  });

  test('looks at both sides of an object in parts, and copies it again when a header or the tags are not there', async () => {
    const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
    const sizes = [6_000, 6_000, 6_000, 2_000];
    const { source, target, options } = setUp();
    const sinceMs = source.nowMs;
    const there = (key: string, headers: Record<string, string>): void => {
      target.putInParts(key, bytes, sizes, headers);
      target.objects.get(key)!.modifiedMs = sinceMs + 5_000;
    };
    source.putInParts('whole', bytes, sizes, { 'x-amz-meta-a': 'b' });
    there('whole', { 'x-amz-meta-a': 'b' });
    source.putInParts('without-header', bytes, sizes, { 'x-amz-meta-a': 'b' });
    there('without-header', {});
    source.putInParts('without-tags', bytes, sizes, { 'x-amz-tagging-count': '1' });
    source.objects.get('without-tags')!.tags = 'k=v';
    there('without-tags', {});
    const { snapshot } = await copyRange({ ...options, mode: 'copy-all', copiedSinceMs: sinceMs }).result;
    expect(snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0, bytesCopied: 60_000 });
    expect(count(target, 'CompleteMultipartUpload')).toBe(2);
    expect(target.objects.get('without-header')!.headers).toMatchObject({ 'x-amz-meta-a': 'b' });
    expect(target.objects.get('without-tags')!.tags).toBe('k=v');
  });

  test('is not asked for in other modes, and copies everything when it does not know since when', async () => {
    const { source, target, options } = setUp();
    source.put('a', 'x');
    target.put('a', 'x', {}, source.nowMs + 5_000);
    await copyRange({ ...options, mode: 'copy-all' }).result;
    expect(count(target, 'PutObject')).toBe(1);
    expect(count(target, 'ListObjectsV2')).toBe(0);
  });
});
