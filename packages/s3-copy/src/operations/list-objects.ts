import type { S3Client } from '../client.ts';
import { S3Error } from '../errors.ts';
import type { CallContext } from '../gate.ts';
import { decodeListedKey } from '../percent-encoding.ts';
import { childElements, childText, parseXml } from '../xml.ts';
import type { XmlElement } from '../xml.ts';
import type { OwnCode } from '../own-codes.ts';

/** An object as a listing shows it. */
export interface ListedObject {
  key: string;
  /** false: the key's bytes are no valid UTF-8, so it cannot be asked for by this name. */
  keyIsExact: boolean;
  sizeBytes: number;
  /** With its quotes; empty when the server gives none. */
  etag: string;
  lastModifiedMs: number;
}

/** One answer of ListObjectsV2. */
export interface ListPage {
  objects: ListedObject[];
  truncated: boolean;
  nextToken: string | null;
}

export interface ListRequest {
  bucket: string;
  prefix: string;
  /** List keys after this one; ignored by servers once there is a token. */
  startAfter?: string | null;
  continuationToken?: string | null;
  /** Keys per page: 1–1,000. Default: the server's, 1,000. */
  maxKeys?: number;
}

/** Sends one ListObjectsV2 and decodes its keys. */
export async function listObjectsPage(client: S3Client, request: ListRequest, call: CallContext): Promise<ListPage> {
  const query: [string, string][] = [
    ['list-type', '2'],
    ['encoding-type', 'url'],
  ];
  if (request.prefix !== '') query.push(['prefix', request.prefix]);
  const token = request.continuationToken ?? null;
  const startAfter = request.startAfter ?? null;
  if (token !== null) query.push(['continuation-token', token]);
  else if (startAfter !== null && startAfter !== '') query.push(['start-after', startAfter]);
  if (request.maxKeys !== undefined) query.push(['max-keys', String(request.maxKeys)]);
  const { bucket } = request;
  const response = await client.send({ operation: 'ListObjectsV2', method: 'GET', bucket, key: null, query }, call);
  const document = parseXml(response.body);
  if (document?.root !== 'ListBucketResult') {
    throw new S3Error({
      code: 'not-s3' satisfies OwnCode,
      status: response.status,
      operation: 'ListObjectsV2',
      bucket,
      key: null,
      message: 'the answer is no listing: this address does not speak S3',
      requestId: response.headers.get('x-amz-request-id'),
    });
  }
  return readPage(document.content);
}

function readPage(content: XmlElement): ListPage {
  // A server that does not know encoding-type ignores it, and its keys must then not be decoded.
  const encoded = childText(content, 'EncodingType') === 'url';
  return {
    objects: childElements(content, 'Contents').map((element) => readObject(element, encoded)),
    truncated: childText(content, 'IsTruncated')?.trim() === 'true',
    nextToken: childText(content, 'NextContinuationToken') || null,
  };
}

function readObject(element: XmlElement, encoded: boolean): ListedObject {
  const name = childText(element, 'Key') ?? '';
  const key = encoded ? decodeListedKey(name) : { text: name, exact: !name.includes('\uFFFD') };
  const modifiedMs = Date.parse(childText(element, 'LastModified') ?? '');
  return {
    key: key.text,
    keyIsExact: key.exact,
    sizeBytes: Number(childText(element, 'Size') ?? 0),
    etag: childText(element, 'ETag') ?? '',
    lastModifiedMs: Number.isNaN(modifiedMs) ? 0 : modifiedMs,
  };
}
