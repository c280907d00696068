import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCountingProxy, startFauxqsProcess } from '@weir/testkit/s3';
import type { CountingProxy, S3TestServer } from '@weir/testkit/s3';
import { callContext, copyKeys, copyRange, createBucket, planRanges } from '../../src/index.ts';
import type { ConnectOptions, CopyRangeOptions, S3Client } from '../../src/index.ts';
import { MIB, ODD_KEYS, clientFor, noise, put, putMany } from './fixtures.ts';
import { readListing, readObject, sdkClient } from './second-reader.ts';

const SMALL_OBJECTS = 5_000;

/** Two servers in processes of their own, each behind a proxy that counts. */
let servers: S3TestServer[] = [];
let proxies: CountingProxy[] = [];
let clients: S3Client[] = [];
let options: CopyRangeOptions;

beforeAll(async () => {
  servers = [await startFauxqsProcess(), await startFauxqsProcess()];
  proxies = await Promise.all(servers.map((server) => startCountingProxy(server.url)));
  clients = servers.map((server, index) => clientFor({ ...server, url: proxies[index]!.url }));
  await createBucket(clients[0]!, 'source', callContext());
  await putMany(clients[0]!, 'source', SMALL_OBJECTS, (index) => ({
    key: `small/${String(index % 50).padStart(2, '0')}/${index}`,
    // Every tenth object is empty.
    bytes: index % 10 === 0 ? '' : `content of ${index} `.repeat(index % 200),
  }));
  const headers = [
    ['content-type', 'application/x-test'],
    ['cache-control', 'max-age=60'],
    ['content-disposition', 'attachment; filename="a b"'],
    ['content-language', 'de'],
    ['x-amz-meta-note', 'kept'],
  ] as const;
  await put(clients[0]!, 'source', 'large/just-below', noise(128 * MIB - 1), headers);
  await put(clients[0]!, 'source', 'large/at-threshold', noise(128 * MIB), headers);
  await put(clients[0]!, 'source', 'large/beyond', noise(130 * MIB + 1), headers);
  await put(clients[0]!, 'source', 'large/buffered', noise(MIB), headers);
  await put(clients[0]!, 'source', 'large/streamed', noise(5 * MIB + 7), headers);
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([...proxies, ...servers].map((each) => each.stop()));
});

/** What a resolver of *.s3.test would say. */
const lookup: NonNullable<ConnectOptions['lookup']> = (_host, lookupOptions, done) => {
  if (lookupOptions.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

async function freshTarget(bucket: string, prefix = ''): Promise<void> {
  await createBucket(clients[1]!, bucket, callContext());
  for (const proxy of proxies) proxy.reset();
  options = {
    source: { client: clients[0]!, bucket: 'source', prefix },
    target: { client: clients[1]!, bucket, prefix },
    mode: 'copy-all',
    onThrottled: (error) => {
      throw error;
    },
  };
}

describe('a copy between two servers', () => {
  test('of 5,000 small and empty objects and five large ones is equal to its source, as another client sees it', async () => {
    await freshTarget('all');
    const result = await copyRange(options).result;
    expect(result).toMatchObject({ state: 'completed', error: null });
    const [source, target] = await Promise.all([
      readListing(sdkClient(servers[0]!), 'source'),
      readListing(sdkClient(servers[1]!), 'all'),
    ]);
    expect(source.size).toBe(SMALL_OBJECTS + 5);
    // The ETags of multipart copies depend on their parts; their bytes are compared below.
    const comparable = (listing: typeof source): typeof source =>
      new Map([...listing].filter(([key]) => key !== 'large/at-threshold' && key !== 'large/beyond'));
    expect(comparable(target)).toEqual(comparable(source));
    expect(target.size).toBe(source.size);
    for (const key of [...source.keys()].filter((each) => each.startsWith('large/'))) {
      expect(await readObject(sdkClient(servers[1]!), 'all', key)).toEqual(
        await readObject(sdkClient(servers[0]!), 'source', key),
      );
    }
    expect(result.snapshot.live).toMatchObject({ objectsCopied: SMALL_OBJECTS + 5, objectsFailed: 0, retries: 0 });
  });

  test('sends one GET and one PUT per small object and one LIST per 1,000, and nothing else', async () => {
    await freshTarget('counted', 'small/');
    await copyRange({ ...options, concurrency: 200 }).result;
    expect(proxies[0]!.counts()).toEqual({ ListObjectsV2: SMALL_OBJECTS / 1_000, GetObject: SMALL_OBJECTS });
    expect(proxies[1]!.counts()).toEqual({ PutObject: SMALL_OBJECTS });
    expect(proxies[1]!.peakConcurrency()).toBeLessThanOrEqual(200);
  });

  test.each([
    ['large/just-below', 1, false],
    ['large/at-threshold', 16, true],
    ['large/beyond', 17, true],
  ])('of %s (%i parts, multipart %s) sends exactly the documented requests', async (key, parts, multipart) => {
    await freshTarget('parts');
    const range = { startAfter: key.slice(0, -1), endAt: key };
    await copyRange({ ...options, range }).result;
    const source = { ListObjectsV2: expect.any(Number), GetObject: parts, ...(multipart && { HeadObject: 1 }) };
    expect(proxies[0]!.counts()).toEqual(source);
    expect(proxies[1]!.counts()).toEqual(
      multipart ? { CreateMultipartUpload: 1, UploadPart: parts, CompleteMultipartUpload: 1 } : { PutObject: 1 },
    );
    // 2N+3 in all, without the listing.
    const sent = [...proxies[0]!.requests(), ...proxies[1]!.requests()].filter(
      (each) => each.operation !== 'ListObjectsV2',
    );
    expect(sent).toHaveLength(multipart ? 2 * parts + 3 : 2);
    for (const proxy of proxies) proxy.reset();
    await copyRange({ ...options, range, mode: 'incremental' }).result;
    expect(proxies[1]!.counts()).toEqual({ HeadObject: 1 });
    await freshTarget(`parts-again-${parts}`);
    await copyRange({ ...options, range, mode: 'incremental' }).result;
    const checked = [...proxies[0]!.requests(), ...proxies[1]!.requests()].filter(
      (each) => each.operation !== 'ListObjectsV2',
    );
    expect(checked).toHaveLength(multipart ? 2 * parts + 4 : 3);
  });

  test('asks the gate before each request, and tells it which', async () => {
    await freshTarget('gated', 'large/');
    const asked: Record<string, number> = {};
    const gate = {
      charge: (operation: string) => {
        asked[operation] = (asked[operation] ?? 0) + 1;
        return undefined;
      },
    };
    await copyRange({ ...options, gate }).result;
    const sent: Record<string, number> = {};
    for (const proxy of proxies) {
      for (const [operation, count] of Object.entries(proxy.counts())) sent[operation] = (sent[operation] ?? 0) + count;
    }
    expect(asked).toEqual(sent);
  });

  test('keeps every odd key, and the path that it was asked for by', async () => {
    await createBucket(clients[0]!, 'odd', callContext());
    for (const key of ODD_KEYS) await put(clients[0]!, 'odd', key, `content of ${key}`);
    await freshTarget('odd-copy');
    const result = await copyRange({ ...options, source: { ...options.source, bucket: 'odd' }, pageSize: 3 }).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: ODD_KEYS.length, objectsFailed: 0 });
    const [source, target] = [
      await readListing(sdkClient(servers[0]!), 'odd'),
      await readListing(sdkClient(servers[1]!), 'odd-copy'),
    ];
    expect([...source.keys()].sort()).toEqual([...ODD_KEYS].sort());
    expect(target).toEqual(source);
    const targets = proxies[1]!.requests().map((request) => request.target);
    expect(targets).toContain('/odd-copy/a/../b');
    expect(targets).toContain('/odd-copy///double//slash');
    expect(targets).toContain('/odd-copy/%2B%20%25%26%3F%23');
  });

  test('in virtual-host style finds its buckets in the host name', async () => {
    await freshTarget('hosted');
    const port = new URL(proxies[1]!.url).port;
    const hosted = clientFor(
      { ...servers[1]!, url: `http://s3.test:${port}` },
      { pathStyle: false, connect: { lookup } },
    );
    const keys = ['small/00/0', 'small/01/1'];
    const result = await copyKeys({ ...options, target: { ...options.target, client: hosted }, keys }).result;
    await hosted.close();
    expect(result.snapshot.live.objectsCopied).toBe(2);
    expect([...(await readListing(sdkClient(servers[1]!), 'hosted')).keys()]).toEqual(keys);
    expect(proxies[1]!.requests()[0]!.target).toBe('/small/00/0');
  });

  test('can be split into ranges that together copy everything once', async () => {
    await freshTarget('split', 'small/');
    const plan = await planRanges(clients[0]!, { bucket: 'source', prefix: 'small/', ranges: 4 }, callContext());
    expect(proxies[0]!.counts()).toEqual({ ListObjectsV2: 5 });
    expect(plan).toMatchObject({ estimatedKeys: SMALL_OBJECTS, requests: 5 });
    const bounds = [null, ...plan.boundaries, null];
    const runs = bounds
      .slice(1)
      .map((endAt, index) => copyRange({ ...options, range: { startAfter: bounds[index]!, endAt } }));
    const results = await Promise.all(runs.map((run) => run.result));
    const copied = results.map((result) => result.snapshot.live.objectsCopied);
    expect(copied).toHaveLength(4);
    expect(copied.reduce((sum, each) => sum + each, 0)).toBe(SMALL_OBJECTS);
    expect(proxies[1]!.counts()).toEqual({ PutObject: SMALL_OBJECTS });
    for (const each of copied) expect(each).toBeGreaterThan(1_000);
  });
});
