import type { S3Operation } from '@weir/governor';
import { COPIES, LISTS_OBJECTS, LISTS_OTHERS, READS, REMOVES, WRITES } from '../s3/stand-ins.ts';

/** What a classifier sees of a request: no more than its start line and headers. */
export interface RequestHead {
  /** Upper case. */
  readonly method: string;
  readonly url: URL;
  readonly headers: { get(name: string): string | null };
}

/** How a bucket is named: `/bucket/key` or `bucket.host/key`. `auto`: by host only at Amazon's own hosts. */
export type S3Addressing = 'auto' | 'path' | 'host';

/** Query parameters by which a request means something about an object or a bucket, not the object or its listing. */
const SUBRESOURCES = [
  'abac',
  'accelerate',
  'acl',
  'analytics',
  'annotation',
  'attributes',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'location',
  'logging',
  'metadataConfiguration',
  'metadataTable',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'retention',
  'session',
  'tagging',
  'torrent',
  'versioning',
  'website',
] as const;

/** A bucket has any number of each of these: with an `id` one is meant, without a page of them. */
const CONFIGURATIONS = ['analytics', 'intelligent-tiering', 'inventory', 'metrics'] as const;

/**
 * Names the S3 operation of a request by its method, its query and whether its path names an object.
 * @param addressing default `auto`
 */
export function classifyS3Request(request: RequestHead, addressing: S3Addressing = 'auto'): S3Operation {
  const target = targetOf(request.url, addressing);
  if (target === 'service') return request.method === 'GET' ? 'ListBuckets' : READS;
  return target === 'bucket' ? bucketOperation(request) : objectOperation(request);
}

/** A classifier for `governFetch` that knows how buckets are named. */
export function s3Classifier(addressing: S3Addressing): (request: RequestHead) => S3Operation {
  return (request) => classifyS3Request(request, addressing);
}

function targetOf(url: URL, addressing: S3Addressing): 'service' | 'bucket' | 'object' {
  const path = url.pathname.slice(1);
  const byHost = addressing === 'host' || (addressing === 'auto' && AMAZON_BUCKET_HOST.test(url.hostname));
  if (byHost) return path === '' ? 'bucket' : 'object';
  if (path === '') return 'service';
  const slash = path.indexOf('/');
  return slash < 0 || slash === path.length - 1 ? 'bucket' : 'object';
}

/** `bucket.s3.amazonaws.com`, `bucket.s3.eu-west-1.amazonaws.com`, `bucket.s3-eu-west-1.amazonaws.com`, dual-stack, in China too. */
const AMAZON_BUCKET_HOST = /^.+\.s3[.-](?:[a-z0-9.-]+\.)?amazonaws\.com(?:\.cn)?$/;

function bucketOperation({ method, url, headers }: RequestHead): S3Operation {
  const query = url.searchParams;
  switch (method) {
    case 'GET':
      if (query.has('uploads')) return 'ListMultipartUploads';
      if (query.has('list-type') || query.has('versions')) return LISTS_OBJECTS;
      if (CONFIGURATIONS.some((name) => query.has(name)) && !query.has('id')) return LISTS_OTHERS;
      return isAbout(query) ? READS : LISTS_OBJECTS;
    case 'HEAD':
      return 'HeadBucket';
    case 'PUT':
      return isAbout(query) ? WRITES : 'CreateBucket';
    case 'POST':
      if (query.has('delete')) return REMOVES;
      // A form, as browsers send it, makes an object.
      return headers.get('content-type')?.startsWith('multipart/form-data') === true ? 'PutObject' : WRITES;
    case 'DELETE':
      return REMOVES;
    default:
      return READS;
  }
}

function objectOperation({ method, url, headers }: RequestHead): S3Operation {
  const query = url.searchParams;
  const inUpload = query.has('uploadId');
  switch (method) {
    case 'GET':
      if (inUpload) return 'ListParts';
      if (query.has('annotation') && !query.has('annotationName')) return LISTS_OTHERS;
      return isAbout(query) ? READS : 'GetObject';
    case 'HEAD':
      return 'HeadObject';
    case 'PUT':
      return putOperation(query, inUpload, headers.get('x-amz-copy-source') !== null);
    case 'POST':
      if (query.has('uploads')) return 'CreateMultipartUpload';
      if (inUpload) return 'CompleteMultipartUpload';
      return query.has('select') ? READS : WRITES;
    case 'DELETE':
      return inUpload ? 'AbortMultipartUpload' : REMOVES;
    default:
      return READS;
  }
}

function putOperation(query: URLSearchParams, inUpload: boolean, copies: boolean): S3Operation {
  if (inUpload && query.has('partNumber')) return copies ? 'UploadPartCopy' : 'UploadPart';
  if (query.has('renameObject')) return COPIES;
  if (isAbout(query)) return WRITES;
  return copies ? 'CopyObject' : 'PutObject';
}

function isAbout(query: URLSearchParams): boolean {
  return SUBRESOURCES.some((name) => query.has(name));
}
