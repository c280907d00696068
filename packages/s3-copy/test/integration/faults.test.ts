import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCountingProxy, startFauxqs } from '@weir/testkit/s3';
import type { CountingProxy, FauxqsServer } from '@weir/testkit/s3';
import { callContext, copyRange, createBucket, probeBucket, probeEndpoint } from '../../src/index.ts';
import type { CopyFailure, CopyRangeOptions, S3Client, S3Error } from '../../src/index.ts';
import { clientFor, noise, optionsFor, put } from './fixtures.ts';
import { startStallingProxy } from './stalling-proxy.ts';
import { readListing, readUploads, sdkClient } from './second-reader.ts';

const RETRY = { maxAttempts: 4, baseDelayMs: 5, throttleBaseDelayMs: 10, maxDelayMs: 50 };
/** A busy machine must not look like a server that hangs: its timeouts would be retries that no test caused. */
const PATIENT = { timeouts: { connectMs: 10_000, responseMs: 20_000, stallMs: 20_000 }, retry: RETRY };
/** For servers that do hang, so that each time costs a test a second. */
const IMPATIENT = { timeouts: { connectMs: 1_000, responseMs: 1_000, stallMs: 1_000 }, retry: RETRY };
const MIB = 1024 * 1024;

let server: FauxqsServer;
let proxy: CountingProxy;
let client: S3Client;
let bucket: string;
let bucketNumber = 0;
let options: CopyRangeOptions;
let failures: CopyFailure[];
let throttled: S3Error[];

beforeAll(async () => {
  server = await startFauxqs();
  proxy = await startCountingProxy(server.url);
});

afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

beforeEach(async () => {
  proxy.heal();
  bucket = `bucket-${bucketNumber++}`;
  client = clientFor({ ...server, url: proxy.url }, PATIENT);
  await createBucket(client, bucket, callContext());
  await createBucket(client, `${bucket}-copy`, callContext());
  proxy.reset();
  failures = [];
  throttled = [];
  options = {
    source: { client, bucket, prefix: '' },
    target: { client, bucket: `${bucket}-copy`, prefix: '' },
    mode: 'copy-all',
    serverSideCopy: 'never',
    tuning: { multipartThresholdBytes: 11 * MIB, partBytes: 5 * MIB, bufferUpToBytes: 64 * 1024 },
    onThrottled: (error) => void throttled.push(error),
    onFailure: (failure) => void failures.push(failure),
  };
  return async () => client.close();
});

async function expectEqualBuckets(): Promise<void> {
  const sdk = sdkClient(server);
  const [source, target] = [await readListing(sdk, bucket), await readListing(sdk, `${bucket}-copy`)];
  const sizes = (listing: typeof source): Map<string, number> =>
    new Map([...listing].map(([key, { sizeBytes }]) => [key, sizeBytes]));
  expect(sizes(target)).toEqual(sizes(source));
  expect(await readUploads(sdk, `${bucket}-copy`)).toEqual([]);
  sdk.destroy();
}

/** One object that is buffered, one that is streamed, one in three parts. */
async function putThreeKinds(): Promise<void> {
  await put(client, bucket, 'a-buffered', noise(1_000));
  await put(client, bucket, 'b-streamed', noise(2 * MIB));
  await put(client, bucket, 'c-parts', noise(12 * MIB));
  proxy.reset();
}

describe('trouble that retries absorb', () => {
  test.each([
    ['503 SlowDown', { type: 'error', times: 4 }],
    ['500 errors', { type: 'error', status: 500, code: 'InternalError', times: 4 }],
    ['connections cut before the request arrives', { type: 'reset', times: 4 }],
    ['answers lost after the work was done', { type: 'lost-answer', times: 4 }],
    ['a server that does not answer', { type: 'hang', times: 2 }],
  ] as const)('%s', async (_name, fault) => {
    await putThreeKinds();
    for (const operation of [
      'ListObjectsV2',
      'GetObject',
      'PutObject',
      'UploadPart',
      'CreateMultipartUpload',
      'HeadObject',
    ]) {
      proxy.inject({ ...fault, operation, times: operation === 'GetObject' ? fault.times : 1 });
    }
    const used = fault.type === 'hang' ? clientFor({ ...server, url: proxy.url }, IMPATIENT) : client;
    const { source, target } = options;
    const run = copyRange({ ...options, source: { ...source, client: used }, target: { ...target, client: used } });
    const result = await run.result;
    if (used !== client) await used.close();
    expect(result).toMatchObject({ state: 'completed', error: null });
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0 });
    expect(result.snapshot.live.retries).toBeGreaterThanOrEqual(7);
    expect(proxy.pendingFaults()).toBe(0);
    expect(throttled).toEqual([]);
    // An upload whose id was lost with the answer cannot be known to us; all others are gone.
    if (fault.type !== 'lost-answer') await expectEqualBuckets();
  });

  test.each([0, 1, 500])('a body that is cut after %i bytes is noticed and fetched again', async (afterBytes) => {
    await putThreeKinds();
    for (const key of ['a-buffered', 'b-streamed', 'c-parts']) {
      proxy.inject({ type: 'cut-body', afterBytes, operation: 'GetObject', targetContains: key });
    }
    const result = await copyRange(options).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0 });
    expect(result.snapshot.live.retries).toBeGreaterThanOrEqual(3);
    await expectEqualBuckets();
  });

  test('a flipped bit is noticed by the checksum, wherever there is one', async () => {
    await putThreeKinds();
    for (const key of ['a-buffered', 'b-streamed']) {
      proxy.inject({ type: 'flip-bit', operation: 'GetObject', targetContains: key });
    }
    const result = await copyRange(options).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0, retries: 2 });
    const sdk = sdkClient(server);
    const [source, target] = [await readListing(sdk, bucket), await readListing(sdk, `${bucket}-copy`)];
    for (const key of ['a-buffered', 'b-streamed']) expect(target.get(key)).toEqual(source.get(key));
  });

  test('a completion that says 200 and holds an error is repeated', async () => {
    await putThreeKinds();
    proxy.inject({ type: 'error-200', operation: 'CompleteMultipartUpload', times: 2 });
    const result = await copyRange(options).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 3, retries: 2 });
    expect(proxy.counts()['CompleteMultipartUpload']).toBe(3);
    await expectEqualBuckets();
  });

  test('a completion whose answer is lost is not taken for a failure', async () => {
    await putThreeKinds();
    proxy.inject({ type: 'lost-answer', operation: 'CompleteMultipartUpload' });
    const result = await copyRange(options).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0 });
    await expectEqualBuckets();
  });
});

describe('trouble that retries do not absorb', () => {
  test('a throttle pauses the run once; nothing is lost after it', async () => {
    for (let index = 0; index < 60; index++) await put(client, bucket, `k${index}`, noise(100));
    proxy.inject({ type: 'error', operation: 'PutObject', times: 40 });
    const run = copyRange({
      ...options,
      concurrency: 8,
      onThrottled: (error) => {
        throttled.push(error);
        setTimeout(() => run.resume(), 20);
      },
    });
    const result = await run.result;
    expect(result.state).toBe('completed');
    expect(throttled.length).toBeGreaterThanOrEqual(1);
    expect(throttled[0]).toMatchObject({
      code: 'SlowDown',
      throttle: true,
      bucket: `${bucket}-copy`,
      requestId: 'proxy',
    });
    expect(failures).toEqual([]);
    await expectEqualBuckets();
  });

  test('an upload that cannot be finished is aborted', async () => {
    await putThreeKinds();
    proxy.inject({ type: 'error', status: 403, code: 'AccessDenied', operation: 'UploadPart', times: 100 });
    const result = await copyRange(options).result;
    expect(result).toMatchObject({ state: 'completed', snapshot: { live: { objectsCopied: 2, objectsFailed: 1 } } });
    expect(failures).toMatchObject([{ key: 'c-parts', code: 'AccessDenied' }]);
    expect(server.openUploadKeys(`${bucket}-copy`)).toEqual([]);
    expect(proxy.counts()['AbortMultipartUpload']).toBe(1);
  });

  test('a run that is abandoned or released in the middle of parts leaves no upload behind', async () => {
    for (let index = 0; index < 4; index++) await put(client, bucket, `large-${index}`, noise(12 * MIB));
    for (const how of ['abandon', 'release'] as const) {
      proxy.heal();
      proxy.inject({ type: 'delay', ms: 400, operation: 'UploadPart', times: 12 });
      const run = copyRange(options);
      while (server.openUploadKeys(`${bucket}-copy`).length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
      const result = await run[how]();
      expect(result.state).toBe(how === 'abandon' ? 'abandoned' : 'released');
      expect(server.openUploadKeys(`${bucket}-copy`)).toEqual([]);
    }
  });

  test.each([
    ['repeated-continuation-token', '<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>'],
    ['missing-continuation-token', '<IsTruncated>true</IsTruncated>'],
  ])('a listing that would never end is stopped: %s', async (code, xml) => {
    proxy.inject({
      type: 'body',
      body: `<ListBucketResult>${xml}</ListBucketResult>`,
      operation: 'ListObjectsV2',
      times: 3,
    });
    const result = await copyRange(options).result;
    expect(result).toMatchObject({ state: 'failed', error: { code } });
    expect(proxy.counts()['ListObjectsV2']).toBeLessThanOrEqual(3);
  });

  test('credentials that expire in the middle stop the run, and the checkpoint is good', async () => {
    for (let index = 10; index < 60; index++) await put(client, bucket, `k${index}`, noise(100));
    proxy.reset();
    const run = copyRange({ ...options, concurrency: 2 });
    while ((proxy.counts()['PutObject'] ?? 0) < 20) await new Promise((resolve) => setTimeout(resolve, 1));
    proxy.inject({ type: 'error', status: 400, code: 'ExpiredToken', operation: 'GetObject', times: 10 });
    const result = await run.result;
    expect(result).toMatchObject({ state: 'failed', error: { code: 'ExpiredToken', retryable: false } });
    expect(failures).toEqual([]);
    const target = await readListing(sdkClient(server), `${bucket}-copy`);
    const done = Number(result.snapshot.checkpoint?.slice(1) ?? 9) - 9;
    expect(target.size).toBeGreaterThanOrEqual(done);
    for (let index = 10; index < 10 + done; index++) expect(target.has(`k${index}`)).toBe(true);
  });
});

describe('errors that everything that follows would meet too', () => {
  test.each([
    ['a full target', 507, 'InsufficientStorage'],
    ['a target over its quota', 403, 'QuotaExceeded'],
    ['a target that is full by another name', 400, 'XMinioStorageFull'],
  ])('%s stops the run: no object counts as failed, and none is tried in vain', async (_name, status, code) => {
    for (let index = 0; index < 60; index++) await put(client, bucket, `k${index}`, noise(100));
    await put(client, bucket, 'z-parts', noise(12 * MIB));
    proxy.reset();
    for (const operation of ['PutObject', 'UploadPart']) {
      proxy.inject({ type: 'error', status, code, operation, times: 1_000 });
    }
    const result = await copyRange({ ...options, concurrency: 4 }).result;
    expect(result).toMatchObject({
      state: 'failed',
      error: { code, bucket: `${bucket}-copy`, retryable: false },
      snapshot: { live: { objectsFailed: 0 } },
    });
    expect(failures).toEqual([]);
    expect(proxy.counts()['PutObject']).toBeLessThanOrEqual(4);
    expect(server.openUploadKeys(`${bucket}-copy`)).toEqual([]);
  });

  test('a target that may only be read stops the run before a byte is read, when it is asked first', async () => {
    await put(client, bucket, 'a', noise(100));
    proxy.reset();
    proxy.inject({ type: 'error', status: 403, code: 'AccessDenied', operation: 'AbortMultipartUpload' });
    const result = await copyRange({ ...options, checkTarget: true }).result;
    expect(result).toMatchObject({ state: 'failed', error: { code: 'AccessDenied', bucket: `${bucket}-copy` } });
    expect(proxy.counts()).toEqual({ AbortMultipartUpload: 1 });
    // One that may be written to is asked once, and then written to.
    proxy.reset();
    expect(await copyRange({ ...options, checkTarget: true }).result).toMatchObject({ state: 'completed' });
    expect(proxy.counts()).toMatchObject({ AbortMultipartUpload: 1, PutObject: 1 });
  });

  test('a clock that cannot be corrected is named', async () => {
    await put(client, bucket, 'a', noise(100));
    proxy.inject({ type: 'error', status: 403, code: 'RequestTimeTooSkewed', operation: 'PutObject', times: 100 });
    const result = await copyRange(options).result;
    expect(result).toMatchObject({ state: 'failed', error: { code: 'RequestTimeTooSkewed', retryable: false } });
    expect(failures).toEqual([]);
  });
});

describe('a body that stops in the middle', () => {
  test('while the connection stays open is given up after the limit of silence, and fetched again', async () => {
    await putThreeKinds();
    const stalling = await startStallingProxy(proxy.url, 3);
    const slow = clientFor({ ...server, url: stalling.url }, IMPATIENT);
    const result = await copyRange({ ...options, source: { ...options.source, client: slow } }).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0 });
    expect(result.snapshot.live.retries).toBe(3);
    await slow.close();
    await stalling.stop();
    await expectEqualBuckets();
  });

  test('for ever fails with its name', async () => {
    await put(client, bucket, 'b-streamed', noise(2 * MIB));
    const stalling = await startStallingProxy(proxy.url, 1_000);
    const slow = clientFor({ ...server, url: stalling.url }, { ...IMPATIENT, retry: { ...RETRY, maxAttempts: 2 } });
    const result = await copyRange({ ...options, source: { ...options.source, client: slow } }).result;
    await slow.close();
    await stalling.stop();
    expect(failures).toMatchObject([{ key: 'b-streamed', code: 'body-stalled' }]);
    expect(result.state).toBe('completed');
    expect((await readListing(sdkClient(server), `${bucket}-copy`)).size).toBe(0);
  });
});

describe('a copy within one endpoint', () => {
  test('whose answer is 200 with an error is repeated; one that is lost is, too', async () => {
    await put(client, bucket, 'a', noise(1_000));
    await put(client, bucket, 'b', noise(1_000));
    proxy.reset();
    proxy.inject({ type: 'error-200', operation: 'CopyObject', targetContains: '/a' });
    proxy.inject({ type: 'lost-answer', operation: 'CopyObject', targetContains: '/b' });
    const result = await copyRange({ ...options, serverSideCopy: 'auto' }).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 2, objectsFailed: 0, retries: 2 });
    expect(proxy.counts()).toEqual({ ListObjectsV2: 1, CopyObject: 4 });
    await expectEqualBuckets();
  });
});

test('in the model of requests the charges equal the requests that the server counts, retries and cleaning up too', async () => {
  await putThreeKinds();
  for (const operation of ['GetObject', 'PutObject', 'UploadPart', 'HeadObject', 'CompleteMultipartUpload']) {
    proxy.inject({ type: 'error', status: 500, code: 'InternalError', operation, times: 2 });
  }
  const told: Record<string, number> = {};
  const gate = {
    charge: (operation: string) => {
      told[operation] = (told[operation] ?? 0) + 1;
      return undefined;
    },
  };
  const first = await copyRange({ ...options, mode: 'incremental', gate }).result;
  expect(first.snapshot.live).toMatchObject({ objectsCopied: 3, objectsFailed: 0 });
  proxy.inject({ type: 'error', status: 403, code: 'AccessDenied', operation: 'UploadPart', times: 100 });
  await copyRange({ ...options, gate }).result;
  expect(proxy.counts()['AbortMultipartUpload']).toBe(1);
  expect(told).toEqual(proxy.counts());
});

describe('the test of an endpoint', () => {
  test('succeeds with the buckets and the time that it took', async () => {
    const result = await probeEndpoint(optionsFor(server));
    expect(result.buckets).toContain(bucket);
    expect(result.latencyMs).toBeGreaterThan(0);
    await probeBucket(optionsFor(server), bucket);
  });

  test('tells an address that nobody answers at from one that is no S3 server', async () => {
    await expect(probeEndpoint(optionsFor({ ...server, url: 'http://127.0.0.1:1' }))).rejects.toMatchObject({
      kind: 'unreachable',
      code: 'connection-refused',
    });
    await expect(probeEndpoint(optionsFor({ ...server, url: 'http://no-such-host.invalid' }))).rejects.toMatchObject({
      kind: 'unreachable',
      code: 'host-not-found',
    });
    await expect(
      probeEndpoint(optionsFor({ ...server, url: server.url.replace('http:', 'https:') })),
    ).rejects.toMatchObject({
      kind: 'tls',
    });
    const web = createServer((_request, response) => response.end('<html>Welcome</html>'));
    await new Promise<void>((resolve) => {
      web.listen(0, '127.0.0.1', resolve);
    });
    const address = web.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(probeEndpoint(optionsFor({ ...server, url: `http://127.0.0.1:${port}` }))).rejects.toMatchObject({
      kind: 'not-s3',
    });
    web.close();
  });

  test('names the bucket that does not exist', async () => {
    await expect(probeBucket(optionsFor(server), 'nowhere')).rejects.toMatchObject({
      kind: 'no-such-bucket',
      message: `bucket nowhere does not exist at ${server.url}`,
    });
  });

  test('can be given up', async () => {
    proxy.inject({ type: 'hang' });
    const through = optionsFor({ ...server, url: proxy.url });
    await expect(probeEndpoint(through, AbortSignal.timeout(50))).rejects.toThrow(/time/i);
  });
});
