import { describe, expect, test } from 'vitest';
import { S3Client } from '../../src/client.ts';
import { copyRange } from '../../src/copy-range.ts';
import type { CopyRangeOptions } from '../../src/copy-range.ts';
import type { CopyWarning } from '../../src/learned.ts';
import { MAX_COPY_OBJECT_BYTES, fitsCopyObject } from '../../src/copy-within.ts';
import { newCopyPlan } from '../../src/copy-plan.ts';
import { errorReply, reply } from './memory-s3.ts';
import type { MemoryS3 } from './memory-s3.ts';
import { setUp } from './two-memory-servers.ts';

/** One server that holds both sides, below two prefixes. */
function oneServer(tuning: NonNullable<CopyRangeOptions['tuning']> = {}) {
  const { source: server, options, clock, failures } = setUp(tuning);
  const { client } = options.source;
  const warnings: CopyWarning[] = [];
  const within: CopyRangeOptions = {
    ...options,
    source: { client, bucket: 'b', prefix: 'from/' },
    target: { client, bucket: 'b', prefix: 'to/' },
    onWarning: (warning) => void warnings.push(warning),
  };
  return { server, within, clock, failures, warnings };
}

const count = (server: MemoryS3, operation: string): number => server.log.filter((each) => each === operation).length;

describe('a copy within one endpoint', () => {
  test('is one request per object, keeps metadata and tags, and brings no byte here', async () => {
    const { server, within } = oneServer();
    const odd = 'from/a b+c%/ü?&#😀';
    server.put(odd, 'content', { 'content-type': 'x/y', 'x-amz-meta-a': 'b', 'x-amz-tagging-count': '1' });
    server.objects.get(odd)!.tags = 'k=v';
    server.put('from/large', Buffer.alloc(50_000, 3));
    const { snapshot } = await copyRange(within).result;
    expect(server.log).toEqual(['ListObjectsV2', 'CopyObject', 'CopyObject']);
    expect(snapshot.live).toMatchObject({ objectsCopied: 2, bytesCopied: 50_007 });
    expect(snapshot.traffic).toEqual({ bytesRead: 0, bytesWritten: 0 });
    const copy = server.objects.get(odd.replace('from/', 'to/'))!;
    expect(copy).toMatchObject({ tags: 'k=v', headers: { 'content-type': 'x/y', 'x-amz-meta-a': 'b' } });
    expect(server.objects.get('to/large')!.bytes).toEqual(server.objects.get('from/large')!.bytes);
  });

  test('keeps the parts of an object that was made of parts, even or uneven, and so its ETag', async () => {
    const { server, within } = oneServer();
    const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
    server.putInParts('from/even', bytes, [6_000, 6_000, 6_000, 2_000], { 'x-amz-meta-a': 'b' });
    server.putInParts('from/uneven', bytes, [4_000, 9_000, 6_500, 500]);
    const entries: unknown[] = [];
    await copyRange({ ...within, onEntry: ({ verified }) => void entries.push(verified) }).result;
    for (const name of ['even', 'uneven']) {
      expect(server.objects.get(`to/${name}`)!.etag).toBe(server.objects.get(`from/${name}`)!.etag);
      expect(server.objects.get(`to/${name}`)!.bytes).toEqual(bytes);
    }
    expect(entries).toEqual(['etag', 'etag']);
    expect(server.objects.get('to/even')!.headers).toMatchObject({ 'x-amz-meta-a': 'b' });
    expect(count(server, 'UploadPartCopy')).toBe(8);
    expect(count(server, 'GetObject')).toBe(0);
    // Even parts are known from the first; uneven ones are asked for one by one.
    expect(count(server, 'HeadObject')).toBe(1 + 4);
  });

  test('goes by parts where one request does not carry the object: over 5 GiB, or over what was set', async () => {
    const { options } = setUp();
    const plan = newCopyPlan(options);
    const etag = '"0123456789abcdef0123456789abcdef"';
    expect(fitsCopyObject(plan, MAX_COPY_OBJECT_BYTES, etag)).toBe(true);
    expect(fitsCopyObject(plan, MAX_COPY_OBJECT_BYTES + 1, etag)).toBe(false);
    const { server, within } = oneServer({ copyObjectUpToBytes: 9_000 });
    server.put('from/a', Buffer.alloc(10_000, 1));
    const { snapshot } = await copyRange(within).result;
    expect(snapshot.live.objectsCopied).toBe(1);
    // HEAD, create, four parts and complete; and once more HEAD, because nothing else shows that the source is the same.
    expect(server.log.filter((each) => each !== 'ListObjectsV2').sort()).toEqual(
      [
        'HeadObject',
        'CreateMultipartUpload',
        ...Array.from({ length: 4 }, () => 'UploadPartCopy'),
        'HeadObject',
        'CompleteMultipartUpload',
      ].sort(),
    );
  });

  test('notices that the source was overwritten between two parts, although the server ignores conditions', async () => {
    const { server, within } = oneServer({ copyObjectUpToBytes: 0, partConcurrency: 1 });
    server.features.copyConditions = false;
    server.put('from/a', Buffer.alloc(10_000, 1));
    let parts = 0;
    server.intercept = ({ operation }) => {
      if (operation === 'UploadPartCopy' && ++parts === 3) server.put('from/a', Buffer.alloc(10_000, 2));
      return undefined;
    };
    const { snapshot } = await copyRange(within).result;
    expect(snapshot.live).toMatchObject({ objectsCopied: 1, objectsFailed: 0 });
    expect(server.objects.get('to/a')!.bytes).toEqual(Buffer.alloc(10_000, 2));
    expect(server.uploads.size).toBe(0);
  });

  test('goes on without conditions when the server takes an unchanged source for changed, and looks at it itself', async () => {
    const { server, within, failures } = oneServer({ partConcurrency: 1 });
    const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
    server.putInParts('from/a', bytes, [6_000, 6_000, 6_000, 2_000]);
    server.putInParts('from/b', bytes, [6_000, 6_000, 6_000, 2_000]);
    let refused = 0;
    server.intercept = ({ operation, headers }) => {
      if (operation !== 'UploadPartCopy' || !headers.has('x-amz-copy-source-if-match')) return undefined;
      refused++;
      return errorReply(412, 'PreconditionFailed');
    };
    const { snapshot } = await copyRange({ ...within, concurrency: 1 }).result;
    expect(failures).toEqual([]);
    expect(snapshot.live).toMatchObject({ objectsCopied: 2, objectsFailed: 0 });
    for (const name of ['a', 'b']) {
      expect(server.objects.get(`to/${name}`)!.etag).toBe(server.objects.get(`from/${name}`)!.etag);
    }
    expect(refused).toBe(1);
  });

  test('takes an error that comes with status 200 for one, and tries again', async () => {
    const { server, within } = oneServer();
    server.put('from/a', 'x');
    let errors = 0;
    server.intercept = ({ operation }) =>
      operation === 'CopyObject' && errors++ < 2
        ? reply(200, {}, '<Error><Code>InternalError</Code><Message>m</Message></Error>')
        : undefined;
    const { snapshot } = await copyRange(within).result;
    expect(snapshot.live).toMatchObject({ objectsCopied: 1, retries: 2 });
  });

  test('of a newer version than the listing showed is no error; a damaged copy is one, and is deleted', async () => {
    const { server, within, failures } = oneServer();
    server.put('from/newer', 'old');
    server.put('from/damaged', 'good');
    server.intercept = ({ operation, key }) => {
      if (operation === 'CopyObject' && key === 'to/newer') server.put('from/newer', 'new content');
      if (operation !== 'CopyObject' || key !== 'to/damaged') return undefined;
      server.put('to/damaged', 'bad!');
      const { etag } = server.objects.get('to/damaged')!;
      return reply(200, {}, `<CopyObjectResult><ETag>${etag.replaceAll('"', '')}</ETag></CopyObjectResult>`);
    };
    await copyRange(within).result;
    expect(server.objects.get('to/newer')!.bytes.toString()).toBe('new content');
    expect(failures).toMatchObject([{ key: 'from/damaged', code: 'checksum-mismatch' }]);
    expect(server.log.at(-1)).toBe('DeleteObject');
  });

  test.each([501, 403, 400])(
    'travels through here when the endpoint refuses it with %i, and says so once',
    async (status) => {
      const { server, within, failures, warnings } = oneServer();
      for (const name of ['a', 'b', 'c', 'd']) server.put(`from/${name}`, `content of ${name}`);
      server.intercept = ({ operation }) => (operation === 'CopyObject' ? errorReply(status, 'Refused') : undefined);
      const { snapshot } = await copyRange({ ...within, concurrency: 1 }).result;
      expect(snapshot.live).toMatchObject({ objectsCopied: 4 });
      expect(failures).toEqual([]);
      expect(count(server, 'CopyObject')).toBe(1);
      expect(warnings).toMatchObject([{ code: 'server-side-copy-not-supported', key: 'from/a' }]);
      expect(snapshot.warnings).toEqual({ 'server-side-copy-not-supported': 1 });
    },
  );

  test('is not tried when it is not wanted, or when URL or credentials differ', () => {
    const { options } = setUp();
    const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
    const client = (url: string, secretAccessKey = 's'): S3Client =>
      new S3Client({ url, region: 'r', credentials: { ...credentials, secretAccessKey } });
    const planned = (source: S3Client, target: S3Client, serverSideCopy?: 'auto' | 'always' | 'never'): boolean =>
      newCopyPlan({
        ...options,
        source: { ...options.source, client: source },
        target: { ...options.target, client: target },
        ...(serverSideCopy === undefined ? {} : { serverSideCopy }),
      }).serverSideCopy;
    expect(planned(client('http://h/'), client('http://h'))).toBe(true);
    expect(planned(client('http://h'), client('http://h'), 'never')).toBe(false);
    expect(planned(client('http://h'), client('http://other'))).toBe(false);
    expect(planned(client('http://h'), client('http://h', 'other'))).toBe(false);
    expect(planned(client('http://h'), client('http://h', 'other'), 'always')).toBe(true);
  });
});
