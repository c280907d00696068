import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CancelledError } from '../../src/cancellation.ts';
import { failureOf } from '../../src/checkpoint.ts';
import { copyKeys, copyRange } from '../../src/copy-range.ts';
import type { CopyRun } from '../../src/copy-run.ts';
import { S3Error } from '../../src/errors.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';
import { errorReply, reply } from './memory-s3.ts';
import { contentOf, pad, setUp, turns } from './two-memory-servers.ts';

describe('a run', () => {
  test('copies any keys and sizes byte for byte, with their metadata, at any concurrency', async () => {
    const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    const size = fc.oneof(fc.nat(120), fc.nat(9_000), fc.integer({ min: 9_990, max: 30_000 }));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(key, size, { maxKeys: 25 }),
        fc.integer({ min: 1, max: 40 }),
        async (objects, concurrency) => {
          const { source, target, options } = setUp();
          for (const [name, bytes] of Object.entries(objects)) {
            source.put(name, Buffer.alloc(bytes, name), {
              'content-type': 'x/y',
              'x-amz-meta-name': encodeURIComponent(name),
            });
          }
          const result = await copyRange({ ...options, concurrency }).result;
          expect(result).toMatchObject({ state: 'completed', error: null });
          expect(contentOf(target)).toEqual(contentOf(source));
          for (const [name, object] of target.objects) {
            expect(object.headers).toEqual({ 'content-type': 'x/y', 'x-amz-meta-name': encodeURIComponent(name) });
          }
          const count = Object.keys(objects).length;
          const bytesCopied = Object.values(objects).reduce((sum, each) => sum + each, 0);
          expect(result.snapshot.live).toMatchObject({
            objectsListed: count,
            objectsCopied: count,
            bytesCopied,
            retries: 0,
          });
          expect(result.snapshot.atCheckpoint).toEqual(result.snapshot.live);
          expect(result.snapshot.traffic).toEqual({ bytesRead: bytesCopied, bytesWritten: bytesCopied });
          expect(result.snapshot.checkpoint).toBe([...source.objects.keys()].sort(compareUtf8).at(-1) ?? null);
          expect(target.uploads.size).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('sends one GET and one PUT below the threshold, 2N+3 requests from there on, one more with the check', async () => {
    for (const [mode, extra] of [
      ['copy-all', 0],
      ['incremental', 1],
      ['target-skip', 1],
    ] as const) {
      const { source, target, options } = setUp();
      source.put('empty', '');
      source.put('small', 'x');
      source.put('streamed', Buffer.alloc(5_000));
      source.put('parts', Buffer.alloc(10_000));
      await copyRange({ ...options, mode }).result;
      const listings = source.log.filter((operation) => operation === 'ListObjectsV2').length;
      expect(source.log.length + target.log.length - listings).toBe(3 * (2 + extra) + 2 * 4 + 3 + extra);
    }
  });

  test('skips what is at the target already, and copies what differs', async () => {
    const { source, target, options } = setUp();
    for (const key of ['same', 'other-size', 'other-bytes', 'newer', 'missing']) source.put(key, 'abc');
    target.put('same', 'abc');
    target.put('other-size', 'abcd');
    target.put('other-bytes', 'abd');
    target.put('newer', 'abc', {}, source.nowMs - 60_000);
    const incremental = await copyRange({ ...options, mode: 'incremental' }).result;
    expect(incremental.snapshot.live).toMatchObject({ objectsCopied: 4, objectsSkipped: 1 });
    expect(contentOf(target)).toEqual(contentOf(source));
    const again = await copyRange({ ...options, mode: 'incremental' }).result;
    expect(again.snapshot.live).toMatchObject({ objectsCopied: 0, objectsSkipped: 5 });
    source.put('same', 'something else');
    const skip = await copyRange({ ...options, mode: 'target-skip' }).result;
    expect(skip.snapshot.live).toMatchObject({ objectsCopied: 0, objectsSkipped: 5 });
  });

  test('maps prefixes and stays within its range', async () => {
    const { source, target, options } = setUp();
    for (let index = 0; index < 30; index++) source.put(`in/${pad(index)}`, 'x');
    source.put('out/x', 'x');
    const run = copyRange({
      ...options,
      source: { ...options.source, prefix: 'in/' },
      target: { ...options.target, prefix: 'to/' },
      range: { startAfter: `in/${pad(9)}`, endAt: `in/${pad(19)}` },
    });
    await run.result;
    expect([...target.objects.keys()].sort()).toEqual(
      Array.from({ length: 10 }, (_, index) => `to/${pad(index + 10)}`),
    );
  });

  test('continues after a checkpoint, in a range and in a list of keys', async () => {
    const { source, target, options } = setUp();
    for (let index = 0; index < 20; index++) source.put(pad(index), 'x');
    await copyRange({ ...options, checkpoint: pad(14) }).result;
    expect([...target.objects.keys()].sort()).toEqual([15, 16, 17, 18, 19].map(pad));
    target.objects.clear();
    const keys = [pad(7), pad(3), pad(5)];
    const result = await copyKeys({ ...options, keys, checkpoint: pad(7) }).result;
    expect([...target.objects.keys()].sort()).toEqual([pad(3), pad(5)]);
    expect(result.snapshot.checkpoint).toBe(pad(5));
  });

  test('copies listed keys of unknown size, in parts where they are large', async () => {
    const { source, target, options } = setUp();
    source.put('small', 'x');
    source.put('large', Buffer.alloc(12_000, 7));
    const result = await copyKeys({ ...options, keys: ['small', 'large', 'gone'] }).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 2, objectsFailed: 1 });
    expect(contentOf(target)).toEqual(contentOf(source));
    expect(target.log.filter((operation) => operation === 'UploadPart')).toHaveLength(4);
  });
});

describe('failures of objects', () => {
  test('are reported with key, code and request id, and do not stop the others', async () => {
    const { source, target, options, failures } = setUp();
    for (let index = 0; index < 30; index++) source.put(pad(index), 'x');
    source.intercept = ({ operation, key }) =>
      operation === 'GetObject' && key.endsWith('7')
        ? errorReply(404, 'NoSuchKey', { 'x-amz-request-id': `id-${key}` })
        : undefined;
    const result = await copyRange(options).result;
    expect(result.state).toBe('completed');
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 27, objectsFailed: 3 });
    expect(failures).toEqual(
      [pad(7), pad(17), pad(27)].map((key) => ({ key, code: 'NoSuchKey', message: 'made up', requestId: `id-${key}` })),
    );
    expect(target.objects.size).toBe(27);
  });

  test('that may be the fault of the endpoint count as soon as one succeeds', async () => {
    const { source, options, failures } = setUp();
    for (let index = 0; index < 20; index++) source.put(pad(index), 'x');
    source.intercept = ({ operation, key }) =>
      operation === 'GetObject' && key === pad(3) ? errorReply(403, 'AccessDenied') : undefined;
    const result = await copyRange(options).result;
    expect(result.state).toBe('completed');
    expect(failures).toMatchObject([{ key: pad(3), code: 'AccessDenied' }]);
  });

  test('also count when there were only a few objects and all failed', async () => {
    const { source, target, options, failures } = setUp();
    for (let index = 0; index < 3; index++) source.put(pad(index), 'x');
    target.intercept = () => errorReply(403, 'AccessDenied');
    const result = await copyRange(options).result;
    expect(result.state).toBe('completed');
    expect(failures).toHaveLength(3);
  });

  test('a name that cannot exist at the target is one', async () => {
    const { source, options, failures } = setUp();
    source.put('in/', '');
    source.put('in/a', 'x');
    await copyRange({ ...options, source: { ...options.source, prefix: 'in/' } }).result;
    expect(failures).toMatchObject([{ key: 'in/', code: 'no-target-key' }]);
  });
});

describe('a run stops with a named error and without failing its objects', () => {
  const cases: [string, string, 'source' | 'target', number, boolean][] = [
    ['the target bucket is gone', 'NoSuchBucket', 'target', 404, false],
    ['the credentials expired', 'ExpiredToken', 'source', 400, false],
    ['the target is full', 'QuotaExceeded', 'target', 403, false],
    ['the target is read-only', 'AccessDenied', 'target', 403, false],
    ['the source answers nothing but errors', 'InternalError', 'source', 500, true],
  ];
  test.each(cases)('when %s (%s)', async (_name, code, side, status, retryable) => {
    const { source, target, options, failures } = setUp();
    for (let index = 0; index < 300; index++) source.put(pad(index), 'x');
    let broken = false;
    const server = side === 'source' ? source : target;
    server.intercept = ({ operation }) => {
      if (target.objects.size >= 100) broken = true;
      return broken && operation !== 'ListObjectsV2' ? errorReply(status, code) : undefined;
    };
    const result = await copyRange({ ...options, concurrency: 8 }).result;
    expect(result.state).toBe('failed');
    expect(result.error).toMatchObject({ code, retryable });
    expect(failures).toEqual([]);
    // The checkpoint stands before the trouble, and nothing up to it is missing.
    const { checkpoint } = result.snapshot;
    expect(checkpoint).not.toBeNull();
    const missing = [...source.objects.keys()].filter((key) => !target.objects.has(key));
    expect(missing.filter((key) => compareUtf8(key, checkpoint!) <= 0)).toEqual([]);
    server.intercept = () => undefined;
    const second = await copyRange({ ...options, checkpoint }).result;
    expect(second.state).toBe('completed');
    expect(contentOf(target)).toEqual(contentOf(source));
  });

  test('when the listing is denied', async () => {
    const { source, options } = setUp();
    source.intercept = () => errorReply(403, 'AccessDenied');
    const result = await copyRange(options).result;
    expect(result).toMatchObject({ state: 'failed', error: { code: 'AccessDenied', operation: 'ListObjectsV2' } });
  });
});

describe('a throttle that retries cannot absorb', () => {
  test('pauses everything once; after resume all objects arrive and none failed', async () => {
    const { source, target, options, failures, throttled } = setUp();
    for (let index = 0; index < 200; index++) source.put(pad(index), 'x');
    source.put('z-large', Buffer.alloc(12_000));
    let slow = true;
    target.intercept = () => (slow && target.objects.size >= 50 ? errorReply(503, 'SlowDown') : undefined);
    const run = copyRange({ ...options, concurrency: 16 });
    while (throttled.length === 0) await turns(1);
    await turns(100);
    expect(throttled).toHaveLength(1);
    expect(throttled[0]).toMatchObject({ code: 'SlowDown', throttle: true });
    expect(run.snapshot()).toMatchObject({ paused: true });
    const before = target.log.length + source.log.length;
    await turns(50);
    expect(target.log.length + source.log.length).toBe(before);
    slow = false;
    run.resume();
    const result = await run.result;
    expect(result).toMatchObject({ state: 'completed', snapshot: { paused: false } });
    expect(failures).toEqual([]);
    expect(contentOf(target)).toEqual(contentOf(source));
    expect(target.uploads.size).toBe(0);
  });

  test('of the listing pauses too, and the listing goes on where it was', async () => {
    const { source, target, options, throttled } = setUp();
    for (let index = 0; index < 50; index++) source.put(pad(index), 'x');
    let slow = false;
    let listings = 0;
    source.intercept = ({ operation }) => {
      if (operation === 'ListObjectsV2' && ++listings === 3) slow = true;
      return slow && operation === 'ListObjectsV2' ? errorReply(503, 'SlowDown') : undefined;
    };
    const run = copyRange(options);
    while (throttled.length === 0) await turns(1);
    slow = false;
    run.resume();
    expect(await run.result).toMatchObject({ state: 'completed' });
    expect(target.objects.size).toBe(50);
  });
});

describe('pausing, releasing and abandoning', () => {
  test('a paused run sends nothing and a resumed one goes on', async () => {
    const { source, target, options } = setUp();
    for (let index = 0; index < 100; index++) source.put(pad(index), 'x');
    const run = copyRange({ ...options, concurrency: 4 });
    while (target.objects.size < 20) await turns(1);
    run.pause();
    await turns(50);
    const before = target.log.length + source.log.length;
    await turns(50);
    expect(target.log.length + source.log.length).toBe(before);
    run.resume();
    expect(await run.result).toMatchObject({ state: 'completed' });
  });

  test('a released run stops at a checkpoint that a successor completes, at any moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        async (concurrency, moment) => {
          const { source, target, options } = setUp();
          for (let index = 0; index < 120; index++)
            source.put(pad(index), index % 17 === 0 ? Buffer.alloc(12_000) : 'x');
          const first = copyRange({ ...options, concurrency });
          await turns(moment);
          const released = await first.release();
          expect(['released', 'completed']).toContain(released.state);
          expect(target.uploads.size).toBe(0);
          const { checkpoint, atCheckpoint } = released.snapshot;
          const rest = await copyRange({ ...options, checkpoint }).result;
          expect(rest.state).toBe('completed');
          expect(contentOf(target)).toEqual(contentOf(source));
          expect(atCheckpoint.objectsCopied + rest.snapshot.live.objectsCopied).toBe(120);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('an abandoned run ends at once and leaves no upload behind', async () => {
    const { source, target, options } = setUp();
    for (let index = 0; index < 50; index++) source.put(pad(index), Buffer.alloc(12_000));
    const controller = new AbortController();
    const run = copyRange({ ...options, signal: controller.signal });
    while (target.uploads.size < 5) await turns(1);
    controller.abort();
    const result = await run.result;
    expect(result).toMatchObject({ state: 'abandoned', error: null });
    expect(target.uploads.size).toBe(0);
    expect(result.snapshot.inFlight).toBe(0);
  });

  test('a run whose signal is aborted already does nothing', async () => {
    const { source, options } = setUp();
    source.put('a', 'x');
    const result = await copyRange({ ...options, signal: AbortSignal.abort() }).result;
    expect(result.state).toBe('abandoned');
    expect(source.log).toEqual([]);
  });

  test('uploads that a killed run left are aborted with their objects, those of others stay', async () => {
    const { source, target, options } = setUp();
    source.put('a large+', Buffer.alloc(12_000));
    source.put('b', 'x');
    for (const [id, key] of [
      ['old-1', 'a large+'],
      ['old-2', 'a large+'],
      ['other', 'b'],
    ] as const) {
      target.uploads.set(id, { key, headers: {}, parts: new Map() });
    }
    await copyRange(options).result;
    expect(target.log).not.toContain('ListMultipartUploads');
    expect([...target.uploads.keys()]).toEqual(['old-1', 'old-2', 'other']);
    const result = await copyRange({ ...options, abortLeftUploads: true }).result;
    expect(result.state).toBe('completed');
    expect([...target.uploads.keys()]).toEqual(['other']);
  });

  test('operations that are parked for credits are let go by a release', async () => {
    const { source, options } = setUp();
    for (let index = 0; index < 20; index++) source.put(pad(index), 'x');
    const parked: string[] = [];
    const gate = {
      charge: (operation: string, _attempt: number, signal?: AbortSignal) => {
        if (operation !== 'PutObject') return undefined;
        parked.push(operation);
        return new Promise<number>((_resolve, reject) => {
          signal!.addEventListener('abort', () => reject(new CancelledError('let go')), { once: true });
        });
      },
    };
    const run = copyRange({ ...options, gate });
    while (parked.length < 16) await turns(1);
    expect(await run.release()).toMatchObject({ state: 'released', snapshot: { checkpoint: null } });
    // Parked before the GET: nothing was read while there was no credit to write.
    expect(source.log).not.toContain('GetObject');
  });
});

describe('verification', () => {
  test('a damaged body is found by its MD5, repeated, and never stored', async () => {
    for (const size of [50, 5_000]) {
      const { source, target, options } = setUp();
      source.put('a', Buffer.alloc(size, 1));
      const { etag } = source.objects.get('a')!;
      let damaged = 0;
      source.intercept = ({ operation }) => {
        const object = source.objects.get('a')!;
        object.bytes = Buffer.alloc(size, operation === 'GetObject' && damaged++ < 2 ? 2 : 1);
        object.etag = etag;
        return undefined;
      };
      const stored: string[] = [];
      target.intercept = ({ operation }) => {
        stored.push(operation);
        return undefined;
      };
      const result = await copyRange(options).result;
      expect(result.snapshot.live).toMatchObject({ objectsCopied: 1, objectsFailed: 0, retries: 2 });
      expect(target.objects.get('a')!.bytes.equals(Buffer.alloc(size, 1))).toBe(true);
    }
  });

  test('an object that stays damaged is a failure with a name', async () => {
    const { source, target, options, failures } = setUp();
    source.put('a', 'x');
    source.objects.get('a')!.etag = `"${'0'.repeat(32)}"`;
    await copyRange(options).result;
    expect(failures).toMatchObject([{ key: 'a', code: 'checksum-mismatch' }]);
    expect(target.objects.size).toBe(0);
    const trusting = await copyRange({ ...options, tuning: { ...options.tuning, verifyEtags: false } }).result;
    expect(trusting.snapshot.live.objectsCopied).toBe(1);
  });

  test('an object that is overwritten while its parts are copied is copied anew', async () => {
    const { source, target, options } = setUp();
    source.put('a', Buffer.alloc(12_000, 1));
    let gets = 0;
    source.intercept = ({ operation }) => {
      if (operation === 'GetObject' && ++gets === 2) source.put('a', Buffer.alloc(15_000, 2));
      return undefined;
    };
    const result = await copyRange(options).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 1, bytesCopied: 15_000 });
    expect(contentOf(target)).toEqual(contentOf(source));
    expect(target.uploads.size).toBe(0);
  });

  test('a completion whose answer was lost is recognised by the object', async () => {
    const { source, target, options } = setUp();
    source.put('a', Buffer.alloc(12_000, 1));
    let completions = 0;
    target.intercept = ({ operation, key }) => {
      if (operation !== 'CompleteMultipartUpload' || completions++ > 0) return undefined;
      const [id, upload] = [...target.uploads][0]!;
      const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
      target.put(key, Buffer.concat(parts));
      const digests = parts.map((part) => createHash('md5').update(part).digest());
      const digest = createHash('md5').update(Buffer.concat(digests)).digest('hex');
      target.objects.get(key)!.etag = `"${digest}-${parts.length}"`;
      target.uploads.delete(id);
      return errorReply(500, 'InternalError');
    };
    const result = await copyRange(options).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 1, objectsFailed: 0 });
  });
});

describe('bounds', () => {
  test('an object that takes for ever holds the others up at the bound, and then they go on', async () => {
    const { source, target, options } = setUp();
    const total = 300;
    for (let index = 0; index < total; index++) source.put(String(index).padStart(6, '0'), '');
    const stuck = new AbortController();
    const held = new Promise((resolve) => stuck.signal.addEventListener('abort', resolve));
    source.intercept = async ({ operation, key }) => {
      if (operation === 'GetObject' && key === '000000') await held;
      return undefined;
    };
    const run = copyRange({ ...options, concurrency: 50, maxAheadOfCheckpoint: 200 });
    while (target.objects.size < 199) await turns(1);
    await turns(20);
    expect(run.snapshot()).toMatchObject({ checkpoint: null, live: { objectsListed: 200, objectsCopied: 199 } });
    stuck.abort();
    const result = await run.result;
    expect(result.snapshot).toMatchObject({
      checkpoint: String(total - 1).padStart(6, '0'),
      live: { objectsCopied: total },
    });
  });

  test('times and texts fit into a report: whole milliseconds, 500 characters, keys of 1,024 bytes', async () => {
    const { source, options, failures } = setUp();
    source.put('a', 'x');
    source.put('b', 'x');
    source.intercept = ({ operation, key }) =>
      operation === 'GetObject' && key === 'b'
        ? reply(
            404,
            { 'x-amz-request-id': 'i'.repeat(300) },
            `<Error><Code>${'C'.repeat(99)}</Code><Message>${'m'.repeat(2_000)}</Message></Error>`,
          )
        : undefined;
    const gate = { charge: (): Promise<number> => Promise.resolve(1.5) };
    const result = await copyRange({ ...options, gate }).result;
    expect(Number.isInteger(result.snapshot.live.parkedMs)).toBe(true);
    expect(result.snapshot.live.parkedMs).toBeGreaterThan(0);
    const [failure] = failures;
    expect([failure!.code.length, failure!.message.length, failure!.requestId!.length]).toEqual([64, 500, 128]);
    const error = new S3Error({
      code: 'x',
      message: 'm',
      status: 0,
      operation: 'GetObject',
      bucket: 'b',
      key: 'k',
      requestId: null,
    });
    const reported = failureOf('\uFFFD'.repeat(1_000), error);
    expect(reported.key).toBe('\uFFFD'.repeat(341));
  });

  test('no more objects are under way than asked for', async () => {
    const { source, target, options } = setUp();
    for (let index = 0; index < 100; index++) source.put(pad(index), 'x');
    let most = 0;
    const run: CopyRun = copyRange({ ...options, concurrency: 7 });
    target.intercept = () => {
      most = Math.max(most, run.snapshot().inFlight);
      return undefined;
    };
    await run.result;
    expect(most).toBe(7);
  });
});
