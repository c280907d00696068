import type { S3Client } from '../client.ts';
import { S3Error } from '../errors.ts';
import type { CallContext } from '../gate.ts';
import { decodeListedKey } from '../percent-encoding.ts';
import type { RequestBody } from '../request.ts';
import { copySourceOf } from './objects.ts';
import { childElements, childText, escapeXml, parseXml } from '../xml.ts';
import type { OwnCode } from '../own-codes.ts';

/** One unfinished multipart upload. */
export interface Upload {
  bucket: string;
  key: string;
  uploadId: string;
  /** When it began, by the server's clock; null when it does not say. */
  initiatedMs?: number | null;
}

/** Part number (1–10,000) and ETag of an uploaded part. */
export interface UploadedPart {
  partNumber: number;
  etag: string;
}

/** Begins an upload with the headers that the object will have. */
export async function createMultipartUpload(
  client: S3Client,
  request: { bucket: string; key: string; headers: readonly (readonly [name: string, value: string])[] },
  call: CallContext,
  options?: { admitted: boolean },
): Promise<Upload> {
  const { bucket, key, headers } = request;
  const response = await client.send(
    { operation: 'CreateMultipartUpload', method: 'POST', bucket, key, headers, query: [['uploads', '']] },
    call,
    options,
  );
  const document = parseXml(response.body);
  const uploadId = childText(document?.content ?? {}, 'UploadId');
  if (uploadId === null || uploadId === '') {
    throw new S3Error({
      code: 'not-s3' satisfies OwnCode,
      status: response.status,
      operation: 'CreateMultipartUpload',
      bucket,
      key,
      message: 'the answer names no upload',
      requestId: response.headers.get('x-amz-request-id'),
    });
  }
  return { bucket, key, uploadId };
}

/** Sends one part once. Returns its ETag. */
export async function uploadPart(
  client: S3Client,
  upload: Upload,
  part: { partNumber: number; body: RequestBody },
  call: CallContext,
  attempt: number,
  options: { admitted: boolean } = { admitted: true },
): Promise<string> {
  const query: [string, string][] = [
    ['partNumber', String(part.partNumber)],
    ['uploadId', upload.uploadId],
  ];
  const { bucket, key } = upload;
  const response = await client.attempt(
    { operation: 'UploadPart', method: 'PUT', bucket, key, query, body: part.body },
    call,
    attempt,
    options,
  );
  return response.headers.get('etag') ?? '';
}

/** Lets the server make a part out of bytes of an object that it holds. Returns the part's ETag. */
export async function uploadPartCopy(
  client: S3Client,
  upload: Upload,
  part: {
    partNumber: number;
    from: { bucket: string; key: string };
    first: number;
    last: number;
    ifMatch: string | null;
  },
  call: CallContext,
): Promise<string> {
  const { bucket, key, uploadId } = upload;
  const headers: [string, string][] = [
    ['x-amz-copy-source', copySourceOf(part.from)],
    ['x-amz-copy-source-range', `bytes=${part.first}-${part.last}`],
  ];
  if (part.ifMatch !== null) headers.push(['x-amz-copy-source-if-match', part.ifMatch]);
  const query: [string, string][] = [
    ['partNumber', String(part.partNumber)],
    ['uploadId', uploadId],
  ];
  const request = { operation: 'UploadPartCopy', method: 'PUT', bucket, key, query, headers } as const;
  const response = await client.send(request, call);
  return childText(parseXml(response.body)?.content ?? {}, 'ETag') ?? '';
}

/** A part that an upload has already. */
export interface StoredPart extends UploadedPart {
  sizeBytes: number;
}

/**
 * All finished parts of an upload, in order.
 * @throws S3Error NoSuchUpload when it was completed or aborted.
 */
export async function listParts(client: S3Client, upload: Upload, call: CallContext): Promise<StoredPart[]> {
  const { bucket, key, uploadId } = upload;
  const parts: StoredPart[] = [];
  let marker = '';
  // Pages of 1,000, at most 10,000 parts; a marker that stands still ends it too.
  for (let pages = 0; pages < 1_000; pages++) {
    const query: [string, string][] = [['uploadId', uploadId]];
    if (marker !== '') query.push(['part-number-marker', marker]);
    const response = await client.send({ operation: 'ListParts', method: 'GET', bucket, key, query }, call);
    const content = parseXml(response.body)?.content ?? {};
    for (const part of childElements(content, 'Part')) {
      parts.push({
        partNumber: Number(childText(part, 'PartNumber')),
        etag: childText(part, 'ETag') ?? '',
        sizeBytes: Number(childText(part, 'Size')),
      });
    }
    const next = childText(content, 'NextPartNumberMarker') ?? '';
    if (childText(content, 'IsTruncated') !== 'true' || next === '' || next === marker) break;
    marker = next;
  }
  return parts;
}

/**
 * Makes the object out of its parts. Returns its ETag; empty when the server does not tell.
 * @throws S3Error also for an error that comes with status 200.
 */
export async function completeMultipartUpload(
  client: S3Client,
  upload: Upload,
  parts: readonly UploadedPart[],
  call: CallContext,
): Promise<string> {
  const xml = parts.map(
    (part) => `<Part><PartNumber>${part.partNumber}</PartNumber><ETag>${escapeXml(part.etag)}</ETag></Part>`,
  );
  const bytes = Buffer.from(`<CompleteMultipartUpload>${xml.join('')}</CompleteMultipartUpload>`);
  const { bucket, key } = upload;
  const response = await client.send(
    {
      operation: 'CompleteMultipartUpload',
      method: 'POST',
      bucket,
      key,
      query: [['uploadId', upload.uploadId]],
      headers: [['content-type', 'application/xml']],
      body: { type: 'bytes', bytes },
    },
    call,
  );
  return childText(parseXml(response.body)?.content ?? {}, 'ETag') ?? '';
}

/** Gives up an upload and the space of its parts; one that is already gone is no error. */
export async function abortMultipartUpload(client: S3Client, upload: Upload, call: CallContext): Promise<void> {
  const { bucket, key, uploadId } = upload;
  try {
    await client.send(
      { operation: 'AbortMultipartUpload', method: 'DELETE', bucket, key, query: [['uploadId', uploadId]] },
      call,
    );
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'NoSuchUpload') throw error;
  }
}

/** One page of unfinished uploads. */
interface UploadsPage {
  uploads: Upload[];
  next: { keyMarker: string; uploadIdMarker: string } | null;
}

/**
 * Unfinished uploads of a bucket, in the order of their keys; at most `limit`, so that a neglected bucket does not fill
 * the memory.
 */
export async function listMultipartUploads(
  client: S3Client,
  request: { bucket: string; prefix: string; limit?: number },
  call: CallContext,
): Promise<Upload[]> {
  const limit = request.limit ?? 10_000;
  const found: Upload[] = [];
  let marker: UploadsPage['next'] = null;
  while (found.length < limit) {
    const page: UploadsPage = await listUploadsPage(client, request, marker, call);
    found.push(...page.uploads);
    // A marker that stands still would be asked for again and again.
    if (page.next === null || sameMarker(page.next, marker)) break;
    marker = page.next;
  }
  return found.slice(0, limit);
}

function sameMarker(left: UploadsPage['next'], right: UploadsPage['next']): boolean {
  return left?.keyMarker === right?.keyMarker && left?.uploadIdMarker === right?.uploadIdMarker;
}

async function listUploadsPage(
  client: S3Client,
  request: { bucket: string; prefix: string },
  marker: UploadsPage['next'],
  call: CallContext,
): Promise<UploadsPage> {
  const { bucket, prefix } = request;
  const query: [string, string][] = [
    ['uploads', ''],
    ['encoding-type', 'url'],
  ];
  if (prefix !== '') query.push(['prefix', prefix]);
  if (marker !== null) query.push(['key-marker', marker.keyMarker], ['upload-id-marker', marker.uploadIdMarker]);
  const operation = 'ListMultipartUploads';
  const response = await client.send({ operation, method: 'GET', bucket, key: null, query }, call);
  const content = parseXml(response.body)?.content ?? {};
  const encoded = childText(content, 'EncodingType') === 'url';
  const keyOf = (name: string | null): string => (encoded ? decodeListedKey(name ?? '').text : (name ?? ''));
  const uploads = childElements(content, 'Upload').map((upload) => ({
    bucket,
    key: keyOf(childText(upload, 'Key')),
    uploadId: childText(upload, 'UploadId') ?? '',
    initiatedMs: dateOrNull(childText(upload, 'Initiated')),
  }));
  const keyMarker = childText(content, 'NextKeyMarker');
  const truncated = childText(content, 'IsTruncated') === 'true' && keyMarker !== null;
  const uploadIdMarker = childText(content, 'NextUploadIdMarker') ?? '';
  return { uploads, next: truncated ? { keyMarker: keyOf(keyMarker), uploadIdMarker } : null };
}

function dateOrNull(text: string | null): number | null {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? null : time;
}
