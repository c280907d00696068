import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCountingProxy, startRgw, startSwift } from '@weir/testkit/s3';
import type { CountingProxy, S3TestServer } from '@weir/testkit/s3';
import {
  NO_FILTER,
  callContext,
  compareUtf8,
  copyRange,
  createBucket,
  listPages,
  pageFetcher,
} from '../../src/index.ts';
import type { CopyItem, CopyRangeOptions, PlannedAction, S3Client } from '../../src/index.ts';
import { MIB, ODD_KEYS, clientFor, noise, put, putMany } from './fixtures.ts';
import { readListing, readUploads, sdkClient } from './second-reader.ts';

const OBJECTS = 300;
const keyOf = (index: number): string => `2026/${String(index % 7).padStart(2, '0')}/object ${index}.bin`;

interface Side {
  server: S3TestServer;
  proxy: CountingProxy;
  client: S3Client;
}

let rgw: Side;
let swift: Side;

async function start(server: S3TestServer): Promise<Side> {
  const proxy = await startCountingProxy(server.url);
  return { server, proxy, client: clientFor({ ...server, url: proxy.url }) };
}

beforeAll(async () => {
  [rgw, swift] = await Promise.all([startRgw().then(start), startSwift().then(start)]);
  for (const { client } of [rgw, swift]) {
    await createBucket(client, 'listed', callContext());
    await putMany(client, 'listed', OBJECTS, (index) => ({ key: keyOf(index), bytes: `object ${index}` }));
    for (const key of ODD_KEYS) await put(client, 'listed', key, 'odd');
  }
});

afterAll(async () => {
  for (const side of [rgw, swift]) {
    await side?.client.close();
    await side?.proxy.stop();
    await side?.server.stop();
  }
});

describe.each([
  ['Ceph RGW', () => rgw],
  ['OpenStack Swift', () => swift],
])('%s', (_, side) => {
  test('is listed by eight requests at once as Amazon’s client lists it: every key, once, in order', async () => {
    const { client, proxy, server } = side();
    proxy.reset();
    const keys: string[] = [];
    const options = { bucket: 'listed', prefix: '', pageSize: 5, listings: 8 };
    for await (const page of listPages(pageFetcher(client, callContext()), options)) {
      keys.push(...page.map(({ key }) => key));
    }
    expect(keys).toEqual([...(await readListing(sdkClient(server), 'listed')).keys()].sort(compareUtf8));
    expect(proxy.peakConcurrency()).toBeGreaterThan(1);
    expect(proxy.peakConcurrency()).toBeLessThanOrEqual(8);
  });
});

describe('a copy from one server to another that is checked by listing', () => {
  let options: CopyRangeOptions;
  const expected = new Map<string, PlannedAction>();

  beforeAll(async () => {
    await createBucket(swift.client, 'copies', callContext());
    await put(rgw.client, 'listed', 'large/parts', noise(12 * MIB));
    options = {
      source: { client: rgw.client, bucket: 'listed', prefix: '' },
      target: { client: swift.client, bucket: 'copies', prefix: 'from ceph/' },
      mode: 'incremental',
      checkBy: 'listing',
      filter: { ...NO_FILTER, exclude: ['/2026/03/'], maxBytes: 12 * MIB },
      tuning: { multipartThresholdBytes: 11 * MIB, partBytes: 5 * MIB },
      onThrottled: (error) => {
        throw error;
      },
    };
    for (const key of (await readListing(sdkClient(rgw.server), 'listed')).keys()) {
      const fits = Buffer.byteLength(`from ceph/${key}`) <= 1_024;
      if (fits) expected.set(key, key.startsWith('2026/03/') ? 'exclude' : 'copy');
    }
  });

  test('is planned by a dry run, which changes nothing', async () => {
    const planned = new Map<string, PlannedAction>();
    const onPlanned = ({ key }: CopyItem, action: PlannedAction): void => void planned.set(key, action);
    const result = await copyRange({ ...options, dryRun: true, onPlanned }).result;
    expect(result.state).toBe('completed');
    expect(planned).toEqual(expected);
    expect((await readListing(sdkClient(swift.server), 'copies')).size).toBe(0);
    expect(await readUploads(sdkClient(swift.server), 'copies')).toEqual([]);
  });

  test('copies what the plan said, under the names that the prefixes make', async () => {
    const result = await copyRange(options).result;
    expect(result.state).toBe('completed');
    const copied = [...expected].flatMap(([key, action]) => (action === 'copy' ? [`from ceph/${key}`] : []));
    expect([...(await readListing(sdkClient(swift.server), 'copies')).keys()].sort()).toEqual(copied.sort());
  });

  test('costs one request for 1,000 objects on either side when nothing has changed, objects in parts included', async () => {
    for (const { proxy } of [rgw, swift]) proxy.reset();
    const result = await copyRange(options).result;
    const skipped = [...expected.values()].filter((action) => action === 'copy').length;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: 0, objectsSkipped: skipped });
    // Keys too long for the prefix fail before anything is sent for them.
    expect(rgw.proxy.counts()).toEqual({ ListObjectsV2: 1 });
    expect(swift.proxy.counts()).toEqual({ ListObjectsV2: 1 });
  });

  test('copies again what was changed at the source, and nothing else', async () => {
    const changed = [keyOf(1), keyOf(2), ODD_KEYS[0] ?? ''];
    for (const key of changed) await put(rgw.client, 'listed', key, 'changed');
    swift.proxy.reset();
    const result = await copyRange(options).result;
    expect(result.snapshot.live).toMatchObject({ objectsCopied: changed.length });
    expect(swift.proxy.counts()).toEqual({ ListObjectsV2: 1, PutObject: changed.length });
  });
});
