import * as sdk from '@aws-sdk/client-s3';
import { chargeFor, type TransactionType } from '@weir/governor';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { operationOfCommand } from '../../../src/aws-sdk/index.ts';
import { classifyS3Request, type S3Addressing } from '../../../src/fetch/index.ts';

const classify = (line: string, headers: Record<string, string> = {}, addressing?: S3Addressing) => {
  const [method = '', address = ''] = line.split(' ');
  return classifyS3Request(
    { method, url: new URL(address, 'http://127.0.0.1:9000'), headers: new Headers(headers) },
    addressing,
  );
};

describe('operations that the cost model names', () => {
  test.each([
    ['GET /', 'ListBuckets'],
    ['HEAD /b', 'HeadBucket'],
    ['PUT /b', 'CreateBucket'],
    ['GET /b?list-type=2&prefix=a%2Fb', 'ListObjectsV2'],
    ['GET /b/?list-type=2', 'ListObjectsV2'],
    ['GET /b?prefix=a', 'ListObjectsV2'],
    ['GET /b?versions', 'ListObjectsV2'],
    ['GET /b?uploads', 'ListMultipartUploads'],
    ['HEAD /b/k', 'HeadObject'],
    ['GET /b/k', 'GetObject'],
    ['GET /b/k?versionId=1&response-content-type=a', 'GetObject'],
    ['GET /b/k?tagging', 'GetObjectTagging'],
    ['PUT /b/k', 'PutObject'],
    ['PUT /b//', 'PutObject'],
    ['PUT /b/folder/', 'PutObject'],
    ['POST /b/k?uploads', 'CreateMultipartUpload'],
    ['PUT /b/k?partNumber=1&uploadId=u', 'UploadPart'],
    ['POST /b/k?uploadId=u', 'CompleteMultipartUpload'],
    ['GET /b/k?uploadId=u', 'ListParts'],
    ['DELETE /b/k?uploadId=u', 'AbortMultipartUpload'],
    ['DELETE /b/k', 'DeleteObject'],
    ['POST /b?delete', 'DeleteObject'],
  ])('%s is %s', (line, operation) => {
    expect(classify(line)).toBe(operation);
  });

  test('a copy is told by its header, a form by its content type', () => {
    const from = { 'X-Amz-Copy-Source': 'b/other' };
    expect(classify('PUT /b/k', from)).toBe('CopyObject');
    expect(classify('PUT /b/k?partNumber=1&uploadId=u', from)).toBe('UploadPartCopy');
    expect(classify('POST /b', { 'content-type': 'multipart/form-data; boundary=x' })).toBe('PutObject');
  });
});

describe('how buckets are named', () => {
  test.each([
    'https://b.s3.amazonaws.com',
    'https://b.s3.eu-central-1.amazonaws.com',
    'https://b.s3-eu-central-1.amazonaws.com',
    'https://b.s3.dualstack.eu-central-1.amazonaws.com',
    'https://with.dots.s3.eu-central-1.amazonaws.com',
    'https://b.s3.cn-north-1.amazonaws.com.cn',
  ])('%s names a bucket', (host) => {
    expect(classify(`GET ${host}/?list-type=2`)).toBe('ListObjectsV2');
    expect(classify(`PUT ${host}/k`)).toBe('PutObject');
  });

  test.each(['https://s3.amazonaws.com', 'https://s3.eu-central-1.amazonaws.com', 'https://objects.example.com'])(
    '%s does not',
    (host) => {
      expect(classify(`GET ${host}/`)).toBe('ListBuckets');
      expect(classify(`GET ${host}/b?list-type=2`)).toBe('ListObjectsV2');
      expect(classify(`PUT ${host}/b/k`)).toBe('PutObject');
    },
  );

  test('the program may know better', () => {
    expect(classify('GET https://b.objects.example.com/?list-type=2', {}, 'host')).toBe('ListObjectsV2');
    expect(classify('PUT https://b.objects.example.com/k', {}, 'host')).toBe('PutObject');
    expect(classify('GET https://b.s3.amazonaws.com/', {}, 'path')).toBe('ListBuckets');
  });
});

/** Enough for any command to be written as a request. */
const INPUT = {
  Bucket: 'bucket',
  Key: 'k',
  UploadId: 'u',
  PartNumber: 1,
  CopySource: 'bucket/other',
  RenameSource: '/bucket/other',
  Id: 'i',
  AnnotationName: 'n',
  Body: 'x',
  Delete: { Objects: [{ Key: 'k' }] },
  Tagging: { TagSet: [] },
};
/** Goes to a host of its own, which is no S3 endpoint. */
const ELSEWHERE = new Set(['WriteGetObjectResponseCommand']);
const ALL_TYPES: ReadonlySet<TransactionType> = new Set(['LIST', 'GET', 'PUT', 'DELETE']);

interface WrittenRequest {
  command: string;
  method: string;
  url: URL;
  headers: Headers;
}

/** What is sent is the class's business; one stands for all, so that `send` takes it. */
function isCommand(name: string, value: unknown): value is new (input: object) => sdk.HeadBucketCommand {
  return typeof value === 'function' && /^[A-Z].*Command$/.test(name);
}

async function requestsOfSdk(forcePathStyle: boolean): Promise<WrittenRequest[]> {
  const written: WrittenRequest[] = [];
  let command = '';
  const client = new sdk.S3Client({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    forcePathStyle,
    maxAttempts: 1,
    requestHandler: {
      handle: (
        request: sdk.S3ClientConfig & {
          method: string;
          hostname: string;
          path: string;
          query: object;
          headers: Record<string, string>;
        },
      ) => {
        const url = new URL(`https://${request.hostname}${request.path}`);
        for (const [name, value] of Object.entries(request.query)) url.searchParams.set(name, String(value ?? ''));
        written.push({ command, method: request.method, url, headers: new Headers(request.headers) });
        return Promise.reject(Object.assign(new Error('only written, not sent'), { name: 'NotSent' }));
      },
    },
  });
  for (const [name, Command] of Object.entries(sdk)) {
    if (ELSEWHERE.has(name) || !isCommand(name, Command)) continue;
    command = name;
    await client.send(new Command(INPUT)).catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'NotSent') throw new Error(`${name}: ${String(error)}`);
    });
  }
  return written;
}

describe.each([
  ['by path', true],
  ['by host', false],
])('every request that the SDK can write, buckets named %s', (_, forcePathStyle) => {
  let requests: WrittenRequest[];
  beforeAll(async () => {
    requests = await requestsOfSdk(forcePathStyle);
  });

  test.each(['per-object', 'per-request'] as const)('costs %s what its command costs', (model) => {
    expect(requests.length).toBeGreaterThan(100);
    const costs = requests.map(({ command, ...request }) => {
      const [classified, known] = [classifyS3Request(request), operationOfCommand(command)].map((operation) =>
        JSON.stringify(chargeFor(operation, 0, ALL_TYPES, model)),
      );
      return { command, classified, known };
    });
    expect(costs.filter(({ classified, known }) => classified !== known)).toEqual([]);
  });
});

test('any method, path and query is given an operation, and the key alone never changes what it is', () => {
  const methods = fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH');
  const queries = fc.constantFrom(
    '',
    '?tagging',
    '?uploads',
    '?uploadId=u',
    '?partNumber=1&uploadId=u',
    '?x-id=PutObject',
    '?acl',
  );
  const key = fc
    .string({ minLength: 1, maxLength: 40, unit: 'binary' })
    .filter((text) => !/^[./\\\s]|[\s]$/.test(text));
  fc.assert(
    fc.property(methods, queries, key, (method, query, text) => {
      const path = encodeURIComponent(text.replaceAll('/', '|')).replaceAll('%7C', '/');
      expect(classify(`${method} /b/${path}${query}`)).toBe(classify(`${method} /b/plain${query}`));
    }),
  );
});
