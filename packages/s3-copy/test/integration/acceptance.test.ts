import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCountingProxy, startRgw, startSwift } from '@weir/testkit/s3';
import type { RgwServer, SwiftServer } from '@weir/testkit/s3';
import { callContext, copyKeys, copyRange, createBucket } from '../../src/index.ts';
import type { CopyRangeOptions, CopyWarning, ManifestEntry, S3Client } from '../../src/index.ts';
import { awsHead, awsListing, awsTags } from './aws-cli.ts';
import { MIB, ODD_KEYS, clientFor, noise, put } from './fixtures.ts';
import { readObject, readUploads, sdkClient } from './second-reader.ts';

let ceph: RgwServer;
let swift: SwiftServer;
let source: S3Client;
const clients: S3Client[] = [];

const HEADERS = [
  ['content-type', 'text/plain; charset=utf-8'],
  ['cache-control', 'no-cache, max-age=0'],
  ['content-disposition', 'attachment; filename="a b"'],
  ['content-encoding', 'identity'],
  ['content-language', 'de, en'],
  ['x-amz-meta-note', 'kept'],
  ['x-amz-meta-odd', '=a;b,"c"'],
  // UTF-8 as bytes, as it stands in a header.
  ['x-amz-meta-name', Buffer.from('Grüße 漢', 'utf8').toString('latin1')],
] as const;
const TAGS = { team: 'a b', 'ü/+': '=@:' };
/** Buffered, streamed and in parts. */
const SIZES = { 'large/buffered': 1_000, 'large/streamed': 3 * MIB, 'large/parts': 17 * MIB };

beforeAll(async () => {
  [ceph, swift] = await Promise.all([startRgw(), startSwift()]);
  source = clientFor(ceph);
  clients.push(source);
  await createBucket(source, 'source', callContext());
  for (const [index, key] of ODD_KEYS.entries()) {
    await put(source, 'source', key, index % 3 === 0 ? '' : `content of ${key}`, HEADERS);
  }
  const tagging = new URLSearchParams(TAGS).toString().replaceAll('+', '%20');
  for (const [key, bytes] of Object.entries(SIZES)) {
    await put(source, 'source', key, noise(bytes), [...HEADERS, ['x-amz-tagging', tagging]]);
  }
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([ceph, swift].map((server) => server?.stop()));
});

/** Copies the whole bucket to another server, or to another bucket of the same one. */
async function copyTo(target: RgwServer | SwiftServer, bucket: string, more: Partial<CopyRangeOptions> = {}) {
  const client = target === ceph ? source : clientFor(target);
  if (client !== source) clients.push(client);
  await createBucket(client, bucket, callContext());
  const failures: unknown[] = [];
  const warnings: CopyWarning[] = [];
  const entries: ManifestEntry[] = [];
  const result = await copyRange({
    source: { client: source, bucket: 'source', prefix: '' },
    target: { client, bucket, prefix: '' },
    mode: 'copy-all',
    tuning: { multipartThresholdBytes: 10 * MIB, partBytes: 5 * MIB },
    onThrottled: (error) => {
      throw error;
    },
    onFailure: (failure) => void failures.push(failure),
    onWarning: (warning) => void warnings.push(warning),
    onEntry: (entry) => void entries.push(entry),
    ...more,
  }).result;
  expect(failures).toEqual([]);
  const objectsCopied = ODD_KEYS.length + Object.keys(SIZES).length;
  expect(result).toMatchObject({ state: 'completed', snapshot: { live: { objectsCopied, objectsFailed: 0 } } });
  return { warnings, entries, result };
}

/** Keys whose headers Amazon's command looks at: each look takes it a second. */
const LOOKED_AT = ['a/../b', 'large/streamed', 'large/parts'];
let listed: Map<string, string> | null = null;
const heads = new Map<string, Record<string, unknown>>();

/** Compares the buckets as Amazon's clients see them. The ETag of the object in parts depends on where it was cut. */
async function expectSame(target: RgwServer | SwiftServer, bucket: string): Promise<void> {
  listed ??= await awsListing(ceph, 'source');
  const [before, after] = [new Map(listed), await awsListing(target, bucket)];
  expect(before.size).toBe(ODD_KEYS.length + Object.keys(SIZES).length);
  expect([...after.keys()]).toEqual([...before.keys()]);
  for (const listing of [before, after]) listing.delete('large/parts');
  expect(after).toEqual(before);
  for (const key of LOOKED_AT) {
    const head = heads.get(key) ?? (await awsHead(ceph, 'source', key));
    heads.set(key, head);
    expect(await awsHead(target, bucket, key)).toEqual(head);
  }
  const [left, right] = [sdkClient(ceph), sdkClient(target)];
  for (const key of Object.keys(SIZES)) {
    const { sha256 } = await readObject(left, 'source', key);
    expect(await readObject(right, bucket, key)).toMatchObject({ sha256 });
  }
  expect(await readUploads(right, bucket)).toEqual([]);
  left.destroy();
  right.destroy();
}

describe('every odd key, header and tag, seen by a second client', () => {
  test('arrives from Ceph at Ceph by way of this process', async () => {
    const { warnings, entries } = await copyTo(ceph, 'copy', { serverSideCopy: 'never' });
    await expectSame(ceph, 'copy');
    for (const key of Object.keys(SIZES)) expect(await awsTags(ceph, 'copy', key)).toEqual(TAGS);
    expect(warnings).toEqual([]);
    expect(new Set(entries.map((entry) => entry.verified))).toEqual(new Set(['md5']));
  });

  test('arrives in another bucket of the same Ceph, which copies by itself', async () => {
    const { result, entries } = await copyTo(ceph, 'within');
    await expectSame(ceph, 'within');
    expect(await awsTags(ceph, 'within', 'large/parts')).toEqual(TAGS);
    expect(result.snapshot.traffic).toEqual({ bytesRead: 0, bytesWritten: 0 });
    expect(new Set(entries.map((entry) => entry.verified))).toEqual(new Set(['md5']));
  });

  test('arrives there in parts that the server copies, with metadata and tags', async () => {
    const { result } = await copyTo(ceph, 'within-parts', {
      tuning: { multipartThresholdBytes: 10 * MIB, partBytes: 5 * MIB, copyObjectUpToBytes: 5 * MIB },
    });
    await expectSame(ceph, 'within-parts');
    expect(await awsTags(ceph, 'within-parts', 'large/parts')).toEqual(TAGS);
    expect(result.snapshot.traffic).toEqual({ bytesRead: 0, bytesWritten: 0 });
  });

  test('arrives from Ceph at Swift, which has no tags and says so once', async () => {
    const { warnings, result } = await copyTo(swift, 'copy');
    await expectSame(swift, 'copy');
    expect(warnings).toMatchObject([{ code: 'tags-not-supported' }]);
    expect(result.snapshot.warnings).toEqual({ 'tags-not-supported': 3 });
  });

  test('arrives in another bucket of the same Swift, which copies by itself', async () => {
    const client = clientFor(swift);
    clients.push(client);
    for (const bucket of ['one', 'two']) await createBucket(client, bucket, callContext());
    for (const key of ODD_KEYS) await put(client, 'one', key, `content of ${key}`, HEADERS);
    await put(client, 'one', 'large', noise(3 * MIB), HEADERS);
    const parts = { tuning: { multipartThresholdBytes: 10 * MIB, partBytes: 5 * MIB } };
    await copyKeys({
      source: { client: source, bucket: 'source', prefix: '' },
      target: { client, bucket: 'one', prefix: '' },
      mode: 'copy-all',
      keys: ['large/parts'],
      onThrottled: () => undefined,
      ...parts,
    }).result;
    const result = await copyRange({
      source: { client, bucket: 'one', prefix: '' },
      target: { client, bucket: 'two', prefix: '' },
      mode: 'copy-all',
      ...parts,
      onThrottled: (error) => {
        throw error;
      },
    }).result;
    expect(result.snapshot).toMatchObject({ live: { objectsFailed: 0 }, traffic: { bytesRead: 0 } });
    expect(await awsListing(swift, 'two')).toEqual(await awsListing(swift, 'one'));
    // With the ETag of an object in parts, whose parts the server copied.
    for (const key of ['large', 'large/parts']) {
      expect(await awsHead(swift, 'two', key)).toEqual(await awsHead(swift, 'one', key));
    }
  });
});

describe('real servers that ask for less', () => {
  test('a Swift with a limit of writes per second gets all objects, and none is refused when the gate knows the limit', async () => {
    const limited = await startSwift({ ratelimit: { containerWritesPerSecond: 5, maxSleepSeconds: 0.2 } });
    const counted = await startCountingProxy(limited.url);
    const client = clientFor({ ...limited, url: counted.url }, { retry: { maxAttempts: 2, throttleBaseDelayMs: 50 } });
    clients.push(client);
    try {
      await createBucket(source, 'many', callContext());
      for (let index = 0; index < 20; index++) await put(source, 'many', `k${index}`, `content ${index}`);
      const into = async (bucket: string, more: Partial<CopyRangeOptions>) => {
        await createBucket(client, bucket, callContext());
        // The rates of a bucket hold once Swift has seen, within a second, that it has an object.
        await put(client, bucket, 'k0', 'first');
        await new Promise((resolve) => {
          setTimeout(resolve, 1_200);
        });
        counted.reset();
        let holdoffs = 0;
        const run = copyRange({
          source: { client: source, bucket: 'many', prefix: '' },
          target: { client, bucket, prefix: '' },
          mode: 'copy-all',
          onThrottled: () => {
            holdoffs++;
            setTimeout(() => run.resume(), 300);
          },
          ...more,
        });
        const { snapshot } = await run.result;
        expect(snapshot.live).toMatchObject({ objectsCopied: 20, objectsFailed: 0 });
        expect(await awsListing(limited, bucket)).toEqual(await awsListing(ceph, 'many'));
        return { holdoffs, refused: counted.requests().filter((request) => request.status === 503).length };
      };
      const blind = await into('blind', {});
      expect(blind.refused).toBeGreaterThan(0);
      expect(blind.holdoffs).toBeGreaterThan(0);
      // Slots of 1/4 s: a little below the limit, and evenly.
      let nextMs = performance.now();
      const charge = (operation: string): undefined | Promise<number> => {
        if (operation !== 'PutObject') return undefined;
        nextMs = Math.max(nextMs, performance.now()) + 1_000 / 4;
        const waitMs = nextMs - performance.now();
        return new Promise((resolve) => {
          setTimeout(() => resolve(waitMs), waitMs);
        });
      };
      expect(await into('governed', { gate: { charge } })).toEqual({ holdoffs: 0, refused: 0 });
    } finally {
      await counted.stop();
      await limited.stop();
    }
  });
});
