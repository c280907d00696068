import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCountingProxy, startRgw } from '@weir/testkit/s3';
import type { CountingProxy, RgwServer } from '@weir/testkit/s3';
import {
  callContext,
  copyRange,
  createBucket,
  headBucket,
  probeBucket,
  probeEndpoint,
  systemClock,
} from '../../src/index.ts';
import type { CopyFailure, CopyRangeOptions, CopyResult, S3Client } from '../../src/index.ts';
import { MIB, ODD_KEYS, clientFor, noise, optionsFor, put, putMany } from './fixtures.ts';
import { readListing, readObject, readParts, readUploads, sdkClient } from './second-reader.ts';

let server: RgwServer;
let proxy: CountingProxy;
let client: S3Client;
let failures: CopyFailure[] = [];

beforeAll(async () => {
  server = await startRgw();
  proxy = await startCountingProxy(server.url);
  client = clientFor({ ...server, url: proxy.url });
});

afterAll(async () => {
  await client?.close();
  await proxy?.stop();
  await server?.stop();
});

async function buckets(name: string): Promise<CopyRangeOptions> {
  await createBucket(client, name, callContext());
  await createBucket(client, `${name}-copy`, callContext());
  failures = [];
  return {
    source: { client, bucket: name, prefix: '' },
    target: { client, bucket: `${name}-copy`, prefix: '' },
    mode: 'copy-all',
    // One server stands for two here.
    serverSideCopy: 'never',
    onThrottled: (error) => {
      throw error;
    },
    onFailure: (failure) => void failures.push(failure),
  };
}

describe('Ceph RGW', () => {
  test('every odd key arrives byte-identical with its metadata, at every page size', async () => {
    const options = await buckets('odd');
    const headers = [
      ['content-type', 'text/plain; charset=utf-8'],
      ['cache-control', 'no-cache, max-age=0'],
      ['content-disposition', 'attachment; filename="a  b"'],
      ['content-encoding', 'identity'],
      ['content-language', 'de, en'],
      ['expires', 'Thu, 01 Dec 2033 16:00:00 GMT'],
      ['x-amz-meta-note', 'two  spaces'],
      // UTF-8 as bytes, as it stands in a header.
      ['x-amz-meta-name', Buffer.from('Grüße', 'utf8').toString('latin1')],
    ] as const;
    for (const [index, key] of ODD_KEYS.entries()) {
      await put(client, 'odd', key, index % 3 === 0 ? '' : `content of ${key}`, headers);
    }
    for (const pageSize of [1, 2, 1_000]) {
      const bucket = `odd-copy-${pageSize}`;
      await createBucket(client, bucket, callContext());
      const result = await copyRange({ ...options, target: { ...options.target, bucket }, pageSize }).result;
      expect(failures).toEqual([]);
      expect(result).toMatchObject({
        state: 'completed',
        snapshot: { live: { objectsCopied: ODD_KEYS.length, retries: 0 } },
      });
      const sdk = sdkClient(server);
      const [source, target] = [await readListing(sdk, 'odd'), await readListing(sdk, bucket)];
      expect([...source.keys()].sort()).toEqual([...ODD_KEYS].sort());
      expect(target).toEqual(source);
      for (const key of ['é', '+ %&?#', 'a/../b', 'trailing/']) {
        const seen = await readObject(sdk, bucket, key);
        expect(seen).toEqual(await readObject(sdk, 'odd', key));
        expect(seen).toMatchObject({
          cacheControl: 'no-cache, max-age=0',
          contentLanguage: 'de, en',
          metadata: { note: expect.stringMatching(/^two +spaces$/) },
        });
      }
    }
  });

  test('a multipart copy sends 2N+3 requests, keeps metadata and is equal to its source', async () => {
    const options = await buckets('parts');
    await put(client, 'parts', 'large', noise(130 * MIB), [
      ['x-amz-meta-note', 'kept'],
      ['content-type', 'x/y'],
    ]);
    proxy.reset();
    const result = await copyRange(options).result;
    expect(result).toMatchObject({
      state: 'completed',
      snapshot: { live: { objectsCopied: 1, bytesCopied: 130 * MIB } },
    });
    expect(proxy.counts()).toEqual({
      ListObjectsV2: 1,
      HeadObject: 1,
      CreateMultipartUpload: 1,
      GetObject: 17,
      UploadPart: 17,
      CompleteMultipartUpload: 1,
    });
    const sdk = sdkClient(server);
    expect(await readObject(sdk, 'parts-copy', 'large')).toEqual(await readObject(sdk, 'parts', 'large'));
    // A second, incremental run finds nothing to do although the ETags differ.
    const again = await copyRange({ ...options, mode: 'incremental' }).result;
    expect(again.snapshot.live).toMatchObject({ objectsSkipped: 1, objectsCopied: 0 });
    // And the copy of a multipart object has the ETag of its parts again.
    await createBucket(client, 'parts-again', callContext());
    const { result: second } = copyRange({
      ...options,
      source: { ...options.source, bucket: 'parts-copy' },
      target: { ...options.target, bucket: 'parts-again' },
    });
    expect(await second).toMatchObject({ state: 'completed' });
    expect(await readListing(sdk, 'parts-again')).toEqual(await readListing(sdk, 'parts-copy'));
  });

  test('a run that is abandoned in the middle of parts leaves no upload behind', async () => {
    const options = await buckets('abandoned');
    await put(client, 'abandoned', 'large', noise(64 * MIB));
    const run = copyRange({ ...options, tuning: { multipartThresholdBytes: 16 * MIB } });
    proxy.reset();
    while ((proxy.counts()['UploadPart'] ?? 0) < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await run.abandon()).toMatchObject({ state: 'abandoned' });
    expect(await readUploads(sdkClient(server), 'abandoned-copy')).toEqual([]);
  });

  test('a run that was killed in the middle of parts is completed by the next, which goes on with its uploads', async () => {
    const options = await buckets('killed');
    await put(client, 'killed', 'large-1', noise(40 * MIB));
    await put(client, 'killed', 'large-2', noise(40 * MIB));
    proxy.reset();
    proxy.inject({ type: 'delay', ms: 60_000, operation: 'UploadPart', targetContains: 'partNumber=5', times: 2 });
    const { region, accessKeyId, secretAccessKey } = server;
    const argument = {
      server: { url: proxy.url, region, accessKeyId, secretAccessKey },
      bucket: 'killed',
      target: 'killed-copy',
    };
    const script = fileURLToPath(new URL('copy-child.ts', import.meta.url));
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const child = spawn(process.execPath, ['--import', loader, script, JSON.stringify(argument)], { stdio: 'inherit' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const sdk = sdkClient(server);
    const arrived = async () => Promise.all(['large-1', 'large-2'].map((key) => readParts(sdk, 'killed-copy', key)));
    await expect.poll(arrived, { interval: 50, timeout: 60_000 }).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ]);
    child.kill('SIGKILL');
    await ended;
    proxy.heal();
    expect(await readUploads(sdk, 'killed-copy')).toEqual(['large-1', 'large-2']);
    const tuning = { multipartThresholdBytes: 16 * MIB };
    proxy.reset();
    const result = await copyRange({ ...options, tuning, abortLeftUploads: true }).result;
    // Parts that had arrived are compared, and not sent again.
    expect(proxy.counts()).toMatchObject({ ListParts: 2, GetObject: 10, UploadPart: 2 });
    expect(proxy.counts()).not.toHaveProperty('CreateMultipartUpload');
    expect(result).toMatchObject({ state: 'completed', snapshot: { live: { objectsCopied: 2 } } });
    expect(await readUploads(sdk, 'killed-copy')).toEqual([]);
    for (const key of ['large-1', 'large-2']) {
      expect(await readObject(sdk, 'killed-copy', key)).toEqual(await readObject(sdk, 'killed', key));
    }
  });

  test('a clock that is 20 minutes off is corrected at the first refusal', async () => {
    await buckets('skewed');
    const clock = { ...systemClock, now: () => Date.now() - 20 * 60_000 };
    const skewed = clientFor({ ...server, url: proxy.url }, { clock });
    proxy.reset();
    await headBucket(skewed, 'skewed', callContext());
    await headBucket(skewed, 'skewed', callContext());
    expect(proxy.requests().map((request) => request.status)).toEqual([403, 200, 200]);
    await skewed.close();
  });

  test('the test of an endpoint tells a wrong secret, an unknown key and a missing bucket apart', async () => {
    await expect(probeEndpoint(optionsFor({ ...server, secretAccessKey: 'wrong' }))).rejects.toMatchObject({
      kind: 'wrong-credentials',
      code: 'SignatureDoesNotMatch',
    });
    await expect(probeEndpoint(optionsFor({ ...server, accessKeyId: 'nobody' }))).rejects.toMatchObject({
      kind: 'wrong-credentials',
      code: 'InvalidAccessKeyId',
    });
    await expect(probeBucket(optionsFor(server), 'nowhere')).rejects.toMatchObject({ kind: 'no-such-bucket' });
    expect((await probeEndpoint(optionsFor(server))).buckets).toContain('odd');
  });

  test('a target of somebody else stops the run with AccessDenied instead of failing object by object', async () => {
    const options = await buckets('mine');
    await putMany(client, 'mine', 200, (index) => ({ key: `k${index}`, bytes: 'x' }));
    const stranger = clientFor({ ...server, ...(await server.createUser('stranger')) });
    await expect(
      probeBucket(optionsFor({ ...server, ...(await server.createUser('guest')) }), 'mine'),
    ).rejects.toMatchObject({
      kind: 'access-denied',
    });
    // Asked first, it stops before anything is listed or read.
    proxy.reset();
    const asked = await copyRange({ ...options, checkTarget: true, target: { ...options.target, client: stranger } })
      .result;
    expect(asked).toMatchObject({
      state: 'failed',
      error: { code: 'AccessDenied', operation: 'AbortMultipartUpload' },
    });
    expect(proxy.counts()).toEqual({});
    const result = await copyRange({ ...options, target: { ...options.target, client: stranger } }).result;
    expect(result).toMatchObject({
      state: 'failed',
      error: { code: 'AccessDenied', operation: 'PutObject', retryable: false },
    });
    expect(failures).toEqual([]);
    const denied = await copyRange({ ...options, source: { ...options.source, client: stranger } }).result;
    expect(denied).toMatchObject({ state: 'failed', error: { code: 'AccessDenied', operation: 'ListObjectsV2' } });
    await stranger.close();
  });

  test('a missing bucket on either side stops the run', async () => {
    const options = await buckets('present');
    await put(client, 'present', 'a', 'x');
    const noSource = await copyRange({ ...options, source: { ...options.source, bucket: 'nowhere' } }).result;
    const noTarget = await copyRange({ ...options, target: { ...options.target, bucket: 'nowhere' } }).result;
    expect(noSource).toMatchObject({ state: 'failed', error: { code: 'NoSuchBucket', bucket: 'nowhere' } });
    expect(noTarget).toMatchObject({ state: 'failed', error: { code: 'NoSuchBucket', bucket: 'nowhere' } });
    expect(failures).toEqual([]);
  });
});

test('a limit of concurrent requests on an RGW: beyond it real 503 SlowDown loses no object, within it none is seen', async () => {
  const small = await startRgw({ maxConcurrentRequests: 8 });
  const smallProxy = await startCountingProxy(small.url);
  const gentle = clientFor(small);
  const hasty = clientFor({ ...small, url: smallProxy.url }, { retry: { maxAttempts: 3, throttleBaseDelayMs: 20 } });
  /** Copies with so many objects under way; how it ended, and what was refused. */
  const copy = async (target: string, concurrency: number): Promise<{ result: CopyResult; refused: number }> => {
    await createBucket(gentle, target, callContext());
    smallProxy.reset();
    const run = copyRange({
      source: { client: hasty, bucket: 'aaa', prefix: '' },
      target: { client: hasty, bucket: target, prefix: '' },
      mode: 'copy-all',
      serverSideCopy: 'never',
      listings: 1,
      concurrency,
      onThrottled: () => void setTimeout(() => run.resume(), 100),
    });
    const result = await run.result;
    return { result, refused: smallProxy.requests().filter((request) => request.status === 503).length };
  };
  try {
    await createBucket(gentle, 'aaa', callContext());
    for (let index = 0; index < 400; index++) await put(gentle, 'aaa', `k${index}`, noise(4_096));
    const all = { state: 'completed', snapshot: { live: { objectsCopied: 400, objectsFailed: 0 } } };
    const beyond = await copy('bbb', 64);
    expect(beyond.result).toMatchObject(all);
    expect(beyond.refused).toBeGreaterThan(0);
    expect(beyond.result.snapshot.live.retries).toBeGreaterThan(0);
    // One listing and six objects are at most seven requests.
    const within = await copy('ccc', 6);
    expect(within.result).toMatchObject(all);
    expect(within.refused).toBe(0);
    const sdk = sdkClient(small);
    const source = await readListing(sdk, 'aaa');
    expect(await readListing(sdk, 'bbb')).toEqual(source);
    expect(await readListing(sdk, 'ccc')).toEqual(source);
  } finally {
    await Promise.all([gentle.close(), hasty.close()]);
    await smallProxy.stop();
    await small.stop();
  }
});
