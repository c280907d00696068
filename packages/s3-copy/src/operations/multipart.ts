import type { S3Client } from '../client.ts';
import { S3Error } from '../errors.ts';
import type { CallContext } from '../gate.ts';
import { decodeListedKey } from '../percent-encoding.ts';
import type { RequestBody } from '../request.ts';
import { childElements, childText, escapeXml, parseXml } from '../xml.ts';

/** One unfinished multipart upload. */
export interface Upload {
  bucket: string;
  key: string;
  uploadId: string;
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
      code: 'not-s3',
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

/** Sends one part once, already admitted by the gate. Returns its ETag. */
export async function uploadPart(
  client: S3Client,
  upload: Upload,
  part: { partNumber: number; body: RequestBody },
  call: CallContext,
  attempt: number,
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
    { admitted: true },
  );
  return response.headers.get('etag') ?? '';
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
  }));
  const keyMarker = childText(content, 'NextKeyMarker');
  const truncated = childText(content, 'IsTruncated') === 'true' && keyMarker !== null;
  const uploadIdMarker = childText(content, 'NextUploadIdMarker') ?? '';
  return { uploads, next: truncated ? { keyMarker: keyOf(keyMarker), uploadIdMarker } : null };
}
