import { describe, expect, test } from 'vitest';
import { CancelledError } from '../../src/cancellation.ts';
import { S3Client, callContext } from '../../src/client.ts';
import type { S3ClientOptions } from '../../src/client.ts';
import { headBucket, listBuckets } from '../../src/operations/buckets.ts';
import { listObjectsPage } from '../../src/operations/list-objects.ts';
import { completeMultipartUpload, createMultipartUpload } from '../../src/operations/multipart.ts';
import { headObject, putObject } from '../../src/operations/objects.ts';
import { EMPTY_PAYLOAD_SHA256, UNSIGNED_PAYLOAD, sha256Hex } from '../../src/sigv4.ts';
import type { Transport, TransportRequest } from '../../src/transport.ts';
import { FakeClock } from './fake-clock.ts';
import { MemoryS3, errorReply, reply } from './memory-s3.ts';

const credentials = { accessKeyId: 'AK', secretAccessKey: 'SK' };

function clientOver(transport: Transport, clock = new FakeClock(), more: Partial<S3ClientOptions> = {}): S3Client {
  return new S3Client({ url: 'http://s3.test:9000', region: 'r', credentials, transport, clock, ...more });
}

function headerOf(request: TransportRequest, name: string): string | undefined {
  const index = request.headers.indexOf(name);
  return index < 0 ? undefined : request.headers[index + 1];
}

/** Records what is sent and answers from a list. */
function scripted(answers: (() => ReturnType<typeof reply>)[]): { transport: Transport; sent: TransportRequest[] } {
  const sent: TransportRequest[] = [];
  return {
    sent,
    transport: {
      send: async (request) => {
        sent.push(request);
        return answers[Math.min(sent.length, answers.length) - 1]!();
      },
      close: async () => undefined,
    },
  };
}

const ok = (): ReturnType<typeof reply> => reply(200, {}, '');

async function payloadHashOf(url: string, body: Parameters<typeof putObject>[1]['body']): Promise<string | undefined> {
  const { transport, sent } = scripted([ok]);
  const request = { bucket: 'b', key: 'k', headers: [], body };
  await putObject(clientOver(transport, undefined, { url }), request, callContext(), 0, { admitted: false });
  return headerOf(sent[0]!, 'x-amz-content-sha256');
}

async function* chunks(): AsyncGenerator<Buffer> {
  yield Buffer.from('abc');
}

function listingXml(encoding: string): string {
  return `<ListBucketResult>${encoding}<IsTruncated>false</IsTruncated><Contents><Key>a%2Bb</Key><Size>1</Size></Contents></ListBucketResult>`;
}

describe('the gate', () => {
  test('is asked before each attempt, and the request is dated after it let it through', async () => {
    const clock = new FakeClock();
    const { transport, sent } = scripted([() => errorReply(503, 'SlowDown'), ok]);
    const asked: string[] = [];
    const gate = {
      charge: (operation: string, attempt: number) => {
        asked.push(`${operation} ${attempt}`);
        // Parked for 25 minutes: a signature made before would be refused.
        clock.nowMs += 25 * 60_000;
        return Promise.resolve(25 * 60_000);
      },
    };
    const call = callContext({ gate });
    const started = clock.now();
    await headBucket(clientOver(transport, clock), 'b', call);
    expect(asked).toEqual(['HeadBucket 0', 'HeadBucket 1']);
    expect(headerOf(sent[0]!, 'x-amz-date')).toBe(
      new Date(started + 25 * 60_000).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
    );
    expect(call.tally).toEqual({ retries: 1, parkedMs: 50 * 60_000 });
  });

  test('that refuses stops the operation before anything is sent', async () => {
    const { transport, sent } = scripted([ok]);
    const gate = { charge: () => Promise.reject(new CancelledError('no more')) };
    await expect(headBucket(clientOver(transport), 'b', callContext({ gate }))).rejects.toThrow('no more');
    expect(sent).toHaveLength(0);
  });
});

describe('signatures', () => {
  test('cover bodies in memory without TLS, and leave out streams and bodies under TLS', async () => {
    const bytes = { type: 'bytes', bytes: Buffer.from('abc') } as const;
    expect(await payloadHashOf('http://h', bytes)).toBe(sha256Hex(Buffer.from('abc')));
    expect(await payloadHashOf('https://h', bytes)).toBe(UNSIGNED_PAYLOAD);
    expect(await payloadHashOf('http://h', { type: 'stream', chunks: chunks(), bytes: 3 })).toBe(UNSIGNED_PAYLOAD);
  });

  test('of requests without a body name the hash of nothing, and carry a session token when there is one', async () => {
    const { transport, sent } = scripted([ok]);
    const temporary = { credentials: { ...credentials, sessionToken: 'T' } };
    await headBucket(clientOver(transport, undefined, temporary), 'b', callContext());
    expect(headerOf(sent[0]!, 'x-amz-content-sha256')).toBe(EMPTY_PAYLOAD_SHA256);
    expect(headerOf(sent[0]!, 'x-amz-security-token')).toBe('T');
    expect(headerOf(sent[0]!, 'authorization')).toContain('host;x-amz-content-sha256;x-amz-date;x-amz-security-token');
  });

  test('refused for a clock 20 minutes off are made anew with the time of the server', async () => {
    const clock = new FakeClock();
    const serverMs = clock.now() + 20 * 60_000;
    const { transport, sent } = scripted([
      () => errorReply(403, 'RequestTimeTooSkewed', { date: new Date(serverMs).toUTCString() }),
      ok,
    ]);
    const client = clientOver(transport, clock);
    await headBucket(client, 'b', callContext());
    const date = headerOf(sent[1]!, 'x-amz-date')!;
    expect(date.slice(0, 13)).toBe(
      new Date(serverMs)
        .toISOString()
        .replaceAll(/[-:]|\.\d+/g, '')
        .slice(0, 13),
    );
    await headBucket(client, 'b', callContext());
    expect(sent).toHaveLength(3);
  });

  test('refused by HEAD, which carries no code, are corrected by the date alone', async () => {
    const clock = new FakeClock();
    const date = new Date(clock.now() - 20 * 60_000).toUTCString();
    const { transport, sent } = scripted([() => reply(403, { date }, ''), ok]);
    await headObject(clientOver(transport, clock), 'b', 'k', callContext());
    expect(sent).toHaveLength(2);
  });

  test('refused although the clocks agree are not repeated', async () => {
    const clock = new FakeClock();
    const { transport, sent } = scripted([
      () => errorReply(403, 'SignatureDoesNotMatch', { date: new Date(clock.now()).toUTCString() }),
    ]);
    await expect(headBucket(clientOver(transport, clock), 'b', callContext())).rejects.toMatchObject({
      code: 'SignatureDoesNotMatch',
      retryable: false,
    });
    expect(sent).toHaveLength(1);
  });
});

describe('answers', () => {
  test('an error names code, request id, bucket, key and operation', async () => {
    const { transport } = scripted([() => errorReply(404, 'NoSuchKey', { 'x-amz-request-id': 'id-1' })]);
    await expect(headObject(clientOver(transport), 'b', 'k', callContext())).rejects.toMatchObject({
      code: 'NoSuchKey',
      status: 404,
      bucket: 'b',
      key: 'k',
      operation: 'HeadObject',
      requestId: 'id-1',
    });
  });

  test.each([
    [404, 'NoSuchBucket'],
    [403, 'AccessDenied'],
    [301, 'PermanentRedirect'],
    [418, 'http-418'],
  ])('HEAD of a bucket with bare status %i is %s', async (status, code) => {
    const { transport } = scripted([() => reply(status, {}, '')]);
    await expect(headBucket(clientOver(transport), 'b', callContext())).rejects.toMatchObject({ code });
  });

  test('the page of a proxy is quoted, not parsed', async () => {
    const { transport } = scripted([() => reply(502, {}, '<html><h1>Bad  Gateway</h1></html>')]);
    const client = clientOver(transport, undefined, { retry: { maxAttempts: 1 } });
    await expect(headBucket(client, 'b', callContext())).rejects.toMatchObject({
      code: 'BadGateway',
      reason: 'HTTP status 502: Bad Gateway',
      retryable: true,
    });
  });

  test('something that is no S3 server is said to be none', async () => {
    const { transport } = scripted([() => reply(200, {}, '<html>Welcome</html>')]);
    const client = clientOver(transport);
    await expect(listBuckets(client, callContext())).rejects.toMatchObject({ code: 'not-s3' });
    await expect(listObjectsPage(client, { bucket: 'b', prefix: '' }, callContext())).rejects.toMatchObject({
      code: 'not-s3',
    });
  });

  test('status 200 with an error inside is an error, and repeated when it is worth it', async () => {
    const upload = { bucket: 'b', key: 'k', uploadId: 'u' };
    const internal = '<Error><Code>InternalError</Code><Message>x</Message></Error>';
    const { transport, sent } = scripted([
      () => reply(200, {}, internal),
      () => reply(200, {}, '   '),
      () =>
        reply(200, {}, '  <CompleteMultipartUploadResult><ETag>&quot;e-1&quot;</ETag></CompleteMultipartUploadResult>'),
    ]);
    const etag = await completeMultipartUpload(
      clientOver(transport),
      upload,
      [{ partNumber: 1, etag: '"a"' }],
      callContext(),
    );
    expect(etag).toBe('"e-1"');
    expect(sent).toHaveLength(3);
    const denied = scripted([() => reply(200, {}, '<Error><Code>AccessDenied</Code></Error>')]);
    await expect(
      completeMultipartUpload(clientOver(denied.transport), upload, [], callContext()),
    ).rejects.toMatchObject({ code: 'AccessDenied', status: 200 });
  });

  test('an upload without an id is an error', async () => {
    const { transport } = scripted([() => reply(200, {}, '<InitiateMultipartUploadResult/>')]);
    const request = { bucket: 'b', key: 'k', headers: [] };
    await expect(createMultipartUpload(clientOver(transport), request, callContext())).rejects.toMatchObject({
      code: 'not-s3',
    });
  });

  test('listings without encoding-type are taken literally', async () => {
    const { transport } = scripted([
      () => reply(200, {}, listingXml('')),
      () => reply(200, {}, listingXml('<EncodingType>url</EncodingType>')),
    ]);
    const client = clientOver(transport);
    const request = { bucket: 'b', prefix: '' };
    expect((await listObjectsPage(client, request, callContext())).objects[0]!.key).toBe('a%2Bb');
    expect((await listObjectsPage(client, request, callContext())).objects[0]!.key).toBe('a+b');
  });
});

test('a cancelled call ends with its reason and sends nothing more', async () => {
  const server = new MemoryS3();
  const controller = new AbortController();
  const call = callContext({ signal: controller.signal });
  server.intercept = () => {
    controller.abort(new CancelledError('enough'));
    return errorReply(503, 'SlowDown');
  };
  await expect(headBucket(clientOver(server), 'b', call)).rejects.toThrow('enough');
  expect(server.log).toEqual(['HeadBucket']);
});
