import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../src/copy-filter.ts';
import type { PlannedAction } from '../../src/copy-plan.ts';
import { copyKeys, copyRange } from '../../src/copy-range.ts';
import type { CopyRangeOptions } from '../../src/copy-range.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';
import { errorReply } from './memory-s3.ts';
import type { MemoryS3 } from './memory-s3.ts';
import { contentOf, pad, setUp, turns } from './two-memory-servers.ts';

const WRITES = /^(Put|Create|Upload|Complete|Abort|Delete)/;
const countOf = (server: MemoryS3, operation: string): number => server.log.filter((each) => each === operation).length;

describe('checks by listing', () => {
  test('decide as checks by HEAD do, for any objects, prefixes, modes and page sizes', async () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '/', '😀', '\uffee'), minLength: 1, maxLength: 4 });
    const state = fc.record({ source: fc.boolean(), target: fc.boolean(), same: fc.boolean(), newer: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, state, { maxKeys: 30 }),
        fc.constantFrom('', 'in/', 'zz'),
        fc.constantFrom('', 'to/', 'a'),
        fc.constantFrom('target-skip' as const, 'incremental' as const),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 3 }),
        async (objects, from, to, mode, pageSize, listings) => {
          const results = [];
          for (const checkBy of ['head', 'listing'] as const) {
            const { source, target, options } = setUp();
            for (const [key, { source: here, target: there, same, newer }] of Object.entries(objects)) {
              if (here) source.put(from + key, 'content');
              if (!there) continue;
              target.put(to + key, same ? 'content' : 'others!', {}, source.nowMs + (newer ? -60_000 : 60_000));
            }
            const result = await copyRange({
              ...options,
              source: { ...options.source, prefix: from },
              target: { ...options.target, prefix: to },
              mode,
              checkBy,
              pageSize,
              listings,
            }).result;
            expect(result.state).toBe('completed');
            results.push({ live: result.snapshot.live, content: contentOf(target) });
          }
          expect(results[1]).toEqual(results[0]);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('send one request for each page on either side, and no HEAD', async () => {
    for (const mode of ['target-skip', 'incremental'] as const) {
      const { source, target, options } = setUp();
      for (let index = 0; index < 100; index++) source.put(pad(index), 'x');
      for (let index = 0; index < 100; index += 2) target.put(pad(index), 'x');
      const result = await copyRange({ ...options, mode, checkBy: 'listing', pageSize: 20, listings: 1 }).result;
      expect(result.snapshot.live).toMatchObject({ objectsListed: 100, objectsSkipped: 50, objectsCopied: 50 });
      expect([countOf(source, 'ListObjectsV2'), countOf(target, 'ListObjectsV2')]).toEqual([5, 3]);
      expect([countOf(source, 'GetObject'), countOf(target, 'PutObject')]).toEqual([50, 50]);
      expect([countOf(source, 'HeadObject'), countOf(target, 'HeadObject')]).toEqual([0, 0]);
    }
  });

  test('leave an object in parts at its 2N+3 requests', async () => {
    const { source, target, options } = setUp();
    source.put('parts', Buffer.alloc(10_000));
    await copyRange({ ...options, mode: 'incremental', checkBy: 'listing' }).result;
    const requests = [...source.log, ...target.log].filter((operation) => operation !== 'ListObjectsV2');
    expect(requests).toHaveLength(2 * 4 + 3);
  });

  test('stay within the range, on both sides', async () => {
    const { source, target, options } = setUp();
    for (let index = 0; index < 1_000; index++) {
      source.put(`in/${pad(index)}`, 'x');
      target.put(`to/${pad(index)}`, 'x');
    }
    const result = await copyRange({
      ...options,
      source: { ...options.source, prefix: 'in/' },
      target: { ...options.target, prefix: 'to/' },
      mode: 'target-skip',
      checkBy: 'listing',
      range: { startAfter: `in/${pad(500)}`, endAt: `in/${pad(519)}` },
    }).result;
    expect(result.snapshot.live).toMatchObject({ objectsListed: 19, objectsSkipped: 19 });
    expect(countOf(target, 'ListObjectsV2')).toBeLessThanOrEqual(3);
  });

  test('ask for the object where the target has too much in between', async () => {
    const { source, target, options } = setUp();
    for (let index = 0; index < 5_000; index++) target.put(pad(index), 'x');
    for (let index = 0; index < 5_000; index += 500) source.put(pad(index), 'x');
    const result = await copyRange({ ...options, mode: 'target-skip', checkBy: 'listing', pageSize: 10 }).result;
    expect(result.snapshot.live).toMatchObject({ objectsSkipped: 10, objectsCopied: 0 });
    expect(target.log.length).toBeLessThan(50);
  });

  test('wait for a target that throttles its listing, and go on', async () => {
    const { source, target, options, throttled } = setUp();
    for (let index = 0; index < 50; index++) source.put(pad(index), 'x');
    let refusals = 20;
    target.intercept = ({ operation }) =>
      operation === 'ListObjectsV2' && refusals-- > 0 ? errorReply(503, 'SlowDown') : undefined;
    const run = copyRange({
      ...options,
      mode: 'target-skip',
      checkBy: 'listing',
      onThrottled: (error) => {
        throttled.push(error);
        setImmediate(() => run.resume());
      },
    });
    expect(await run.result).toMatchObject({ state: 'completed' });
    expect(throttled.length).toBeGreaterThan(0);
    expect(contentOf(target)).toEqual(contentOf(source));
  });

  test('end the run with the error of a target that may not be listed', async () => {
    const { source, target, options } = setUp();
    source.put('k', 'x');
    target.intercept = ({ operation }) => (operation === 'ListObjectsV2' ? errorReply(403, 'AccessDenied') : undefined);
    const result = await copyRange({ ...options, mode: 'target-skip', checkBy: 'listing' }).result;
    expect(result).toMatchObject({ state: 'failed', error: { code: 'AccessDenied', operation: 'ListObjectsV2' } });
    expect(target.objects.size).toBe(0);
  });
});

describe('a filter in a run', () => {
  test('leaves out what it does not let pass, counts it, and moves the checkpoint over it', async () => {
    for (const checkBy of ['head', 'listing'] as const) {
      const { source, target, options } = setUp();
      for (let index = 0; index < 60; index++) source.put(`in/${pad(index)}.${index % 3 === 0 ? 'jpg' : 'txt'}`, 'x');
      const result = await copyRange({
        ...options,
        source: { ...options.source, prefix: 'in/' },
        mode: 'incremental',
        checkBy,
        filter: { ...NO_FILTER, include: ['/*.jpg'] },
      }).result;
      expect(result.snapshot.live).toMatchObject({ objectsListed: 60, objectsExcluded: 40, objectsCopied: 20 });
      expect(result.snapshot.atCheckpoint).toEqual(result.snapshot.live);
      expect(result.snapshot.checkpoint).toBe(`in/${pad(59)}.txt`);
      expect(target.objects.size).toBe(20);
      expect(countOf(source, 'GetObject')).toBe(20);
    }
  });

  test('that makes no sense ends the run before anything is sent', async () => {
    const { source, target, options } = setUp();
    source.put('k', 'x');
    const result = await copyRange({ ...options, filter: { ...NO_FILTER, minBytes: 2, maxBytes: 1 } }).result;
    expect(result).toMatchObject({ state: 'failed', error: { code: 'invalid-filter' } });
    expect([...source.log, ...target.log]).toEqual([]);
  });

  test('and a check by listing: a run that is released at any moment is completed by its successor', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 30 }), async (moment, concurrency) => {
        const { source, target, options } = setUp();
        for (let index = 0; index < 120; index++) {
          source.put(pad(index), `content ${index}`);
          if (index % 4 === 0) target.put(pad(index), 'older');
        }
        const common: CopyRangeOptions = {
          ...options,
          mode: 'target-skip',
          checkBy: 'listing',
          concurrency,
          filter: { ...NO_FILTER, exclude: ['*7'] },
        };
        const run = copyRange(common);
        await turns(moment);
        const first = (await run.release()).snapshot;
        const second = (await copyRange({ ...common, checkpoint: first.checkpoint }).result).snapshot;
        expect([...target.objects.keys()].sort()).toEqual(
          [...source.objects.keys()].filter((key) => !key.endsWith('7')).sort(),
        );
        expect(first.atCheckpoint.objectsListed + second.atCheckpoint.objectsListed).toBe(120);
        expect(first.atCheckpoint.objectsExcluded + second.atCheckpoint.objectsExcluded).toBe(12);
        expect([...target.objects.values()].filter(({ bytes }) => bytes.toString() === 'older')).toHaveLength(30);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a dry run', () => {
  test('counts what the real one does, reports each object, and writes nothing', async () => {
    const action = fc.constantFrom('missing', 'same', 'different');
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 1, maxLength: 40 }),
        fc.constantFrom('copy-all' as const, 'target-skip' as const, 'incremental' as const),
        fc.constantFrom('head' as const, 'listing' as const),
        async (actions, mode, checkBy) => {
          const { source, target, options } = setUp();
          for (const [index, each] of actions.entries()) {
            const size = index % 5 === 0 ? 12_000 : 40;
            source.put(pad(index), Buffer.alloc(size, index));
            if (each !== 'missing') target.put(pad(index), Buffer.alloc(size, each === 'same' ? index : 99));
          }
          const before = contentOf(target);
          const planned = new Map<string, PlannedAction>();
          const common = { ...options, mode, checkBy, filter: { ...NO_FILTER, exclude: ['*3'] } };
          const dry = await copyRange({
            ...common,
            dryRun: true,
            abortLeftUploads: true,
            onPlanned: ({ key }, what) => void planned.set(key, what),
          }).result;
          expect(target.log.filter((operation) => WRITES.test(operation))).toEqual([]);
          expect(countOf(source, 'GetObject')).toBe(0);
          expect(contentOf(target)).toEqual(before);
          const real = await copyRange(common).result;
          expect([dry.state, real.state]).toEqual(['completed', 'completed']);
          expect(dry.snapshot.live).toEqual(real.snapshot.live);
          expect(dry.snapshot.checkpoint).toBe(real.snapshot.checkpoint);
          const of = (what: PlannedAction): number => [...planned.values()].filter((each) => each === what).length;
          const { objectsCopied, objectsSkipped, objectsExcluded } = real.snapshot.live;
          expect([of('copy'), of('skip'), of('exclude')]).toEqual([objectsCopied, objectsSkipped, objectsExcluded]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('by listing reports in the order of the keys', async () => {
    const { source, target, options } = setUp();
    for (let index = 0; index < 100; index++) source.put(pad(index), 'x');
    for (let index = 0; index < 100; index += 3) target.put(pad(index), 'x');
    const keys: string[] = [];
    const onPlanned = ({ key }: { key: string }): void => void keys.push(key);
    await copyRange({ ...options, mode: 'target-skip', checkBy: 'listing', dryRun: true, onPlanned }).result;
    expect(keys).toEqual([...source.objects.keys()].sort(compareUtf8));
  });

  test('of listed keys asks for their sizes, and reports those that are gone as failed', async () => {
    const { source, target, options, failures } = setUp();
    source.put('a', 'xyz');
    source.put('b', Buffer.alloc(20_000));
    const result = await copyKeys({ ...options, keys: ['a', 'b', 'gone'], dryRun: true }).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 2, bytesCopied: 20_003, objectsFailed: 1 });
    expect(failures).toMatchObject([{ key: 'gone', code: 'NoSuchKey' }]);
    expect(target.log).toEqual([]);
  });
});
