import { createHash } from 'node:crypto';
import { BodyStream } from '../../src/body-stream.ts';
import type { Cancellation } from '../../src/cancellation.ts';
import { decodeListedKey, encodeQueryText } from '../../src/percent-encoding.ts';
import { ResponseHeaders } from '../../src/response-headers.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../src/transport.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';

export interface StoredObject {
  bytes: Buffer;
  etag: string;
  headers: Record<string, string>;
  modifiedMs: number;
}

interface Upload {
  key: string;
  headers: Record<string, string>;
  parts: Map<number, Buffer>;
}

/** What a test may do to a request: answer in the server's place, fail, or (undefined) let it pass. */
export type Interceptor = (
  request: { operation: string; key: string; method: string; path: string; headers: Map<string, string> },
  cancellation: Cancellation,
) => Promise<TransportResponse | undefined> | TransportResponse | undefined;

/** An S3 server in memory with one bucket, in place of the network. Listed page by page, like the real ones. */
export class MemoryS3 implements Transport {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, Upload>();
  readonly log: string[] = [];
  intercept: Interceptor = () => undefined;
  nowMs = Date.UTC(2026, 10, 1);
  #sorted: string[] | null = null;
  #nextUpload = 1;

  put(key: string, bytes: Buffer | string, headers: Record<string, string> = {}, modifiedMs = this.nowMs): void {
    const content = Buffer.from(bytes);
    this.objects.set(key, { bytes: content, etag: `"${md5(content)}"`, headers, modifiedMs });
    this.#sorted = null;
  }

  async send(request: TransportRequest, cancellation: Cancellation): Promise<TransportResponse> {
    cancellation.throwIfCancelled();
    const [path = '', queryText = ''] = request.path.split('?');
    const query = new Map(
      queryText.split('&').map((pair) => {
        const [name = '', value = ''] = pair.split('=');
        return [name, decodeListedKey(value).text];
      }),
    );
    const headers = new Map<string, string>();
    for (let index = 0; index < request.headers.length; index += 2) {
      headers.set(request.headers[index]!, request.headers[index + 1]!);
    }
    const slash = path.indexOf('/', 1);
    const key = slash < 0 ? '' : decodeListedKey(path.slice(slash + 1)).text;
    const operation = name(request.method, key, query);
    this.log.push(operation);
    await new Promise((resolve) => setImmediate(resolve));
    cancellation.throwIfCancelled();
    const instead = await this.intercept(
      { operation, key, method: request.method, path: request.path, headers },
      cancellation,
    );
    if (instead !== undefined) return instead;
    const body = await bodyOf(request);
    cancellation.throwIfCancelled();
    return this.#answer(operation, key, query, headers, body, request);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #answer(
    operation: string,
    key: string,
    query: Map<string, string>,
    headers: Map<string, string>,
    body: Buffer,
    request: TransportRequest,
  ): TransportResponse {
    const object = this.objects.get(key);
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    switch (operation) {
      case 'HeadBucket':
      case 'CreateBucket':
        return reply(200, {}, '');
      case 'ListObjectsV2':
        return reply(200, {}, this.#list(query));
      case 'ListMultipartUploads': {
        // One upload a page, so that the markers matter.
        const marker = query.get('upload-id-marker') ?? '';
        const [next, ...others] = [...this.uploads.entries()].filter(([id]) => id > marker);
        const xml =
          next === undefined
            ? ''
            : `<Upload><Key>${encodeQueryText(next[1].key)}</Key><UploadId>${next[0]}</UploadId></Upload>`;
        const more = `<IsTruncated>${others.length > 0}</IsTruncated><NextKeyMarker>${encodeQueryText(next?.[1].key ?? '')}</NextKeyMarker><NextUploadIdMarker>${next?.[0] ?? ''}</NextUploadIdMarker>`;
        return reply(200, {}, `<R><EncodingType>url</EncodingType>${more}${xml}</R>`);
      }
      case 'HeadObject':
        return object === undefined ? reply(404, {}, '') : reply(200, describe(object), '');
      case 'GetObject':
        return object === undefined ? errorReply(404, 'NoSuchKey') : getReply(object, headers, request);
      case 'PutObject':
        this.put(key, body, kept(headers));
        return reply(200, { etag: `"${md5(body)}"` }, '');
      case 'CreateMultipartUpload': {
        const id = `upload-${this.#nextUpload++}`;
        this.uploads.set(id, { key, headers: kept(headers), parts: new Map() });
        return reply(
          200,
          {},
          `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        );
      }
      case 'UploadPart':
        if (upload === undefined) return errorReply(404, 'NoSuchUpload');
        upload.parts.set(Number(query.get('partNumber')), body);
        return reply(200, { etag: `"${md5(body)}"` }, '');
      case 'AbortMultipartUpload':
        return this.uploads.delete(query.get('uploadId') ?? '') ? reply(204, {}, '') : errorReply(404, 'NoSuchUpload');
      case 'CompleteMultipartUpload': {
        if (upload === undefined) return errorReply(404, 'NoSuchUpload');
        const parts = [...upload.parts.entries()].sort(([a], [b]) => a - b).map(([, part]) => part);
        const etag = `${createHash('md5')
          .update(Buffer.concat(parts.map(md5Bytes)))
          .digest('hex')}-${parts.length}`;
        this.put(key, Buffer.concat(parts), upload.headers);
        this.objects.get(key)!.etag = `"${etag}"`;
        this.uploads.delete(query.get('uploadId') ?? '');
        return reply(
          200,
          {},
          `<CompleteMultipartUploadResult><ETag>&quot;${etag}&quot;</ETag></CompleteMultipartUploadResult>`,
        );
      }
      default:
        return errorReply(501, 'NotImplemented');
    }
  }

  #list(query: Map<string, string>): string {
    this.#sorted ??= [...this.objects.keys()].sort(compareUtf8);
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const size = Number(query.get('max-keys') ?? 1000);
    const prefix = query.get('prefix') ?? '';
    const keys = this.#sorted.filter((key) => key.startsWith(prefix) && compareUtf8(key, after) > 0);
    const page = keys.slice(0, size);
    const more = keys.length > size;
    const contents = page.map((key) => {
      const object = this.objects.get(key)!;
      const modified = new Date(object.modifiedMs).toISOString();
      return `<Contents><Key>${encodeQueryText(key)}</Key><Size>${object.bytes.length}</Size><ETag>${object.etag.replaceAll('"', '&quot;')}</ETag><LastModified>${modified}</LastModified></Contents>`;
    });
    const token = more ? `<NextContinuationToken>${xml(page.at(-1)!)}</NextContinuationToken>` : '';
    return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${more}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`;
  }
}

export function reply(status: number, headers: Record<string, string>, body: string | Buffer): TransportResponse {
  const raw = Object.entries(headers).flat();
  return { status, headers: new ResponseHeaders(raw), body: Buffer.from(body), stream: null };
}

export function errorReply(status: number, code: string, headers: Record<string, string> = {}): TransportResponse {
  return reply(
    status,
    headers,
    `<Error><Code>${code}</Code><Message>made up</Message><RequestId>r-1</RequestId></Error>`,
  );
}

function getReply(object: StoredObject, headers: Map<string, string>, request: TransportRequest): TransportResponse {
  if (headers.has('if-match') && headers.get('if-match') !== object.etag) return errorReply(412, 'PreconditionFailed');
  const range = /^bytes=(\d+)-(\d+)$/.exec(headers.get('range') ?? '');
  const bytes = range === null ? object.bytes : object.bytes.subarray(Number(range[1]), Number(range[2]) + 1);
  const response = reply(
    range === null ? 200 : 206,
    { ...describe(object), 'content-length': String(bytes.length) },
    bytes,
  );
  if (bytes.length <= request.bufferUpToBytes) return response;
  const source = { pause: () => undefined, resume: () => undefined, abort: () => undefined };
  const stream = new BodyStream(source, bytes.length, request.toError);
  for (let at = 0; at < bytes.length; at += 1000) stream.push(bytes.subarray(at, at + 1000));
  stream.end();
  return { ...response, body: Buffer.alloc(0), stream };
}

function describe(object: StoredObject): Record<string, string> {
  return {
    'content-length': String(object.bytes.length),
    etag: object.etag,
    'last-modified': new Date(object.modifiedMs).toUTCString(),
    ...object.headers,
  };
}

function kept(headers: Map<string, string>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([each]) => each.startsWith('x-amz-meta-') || each === 'content-type'));
}

async function bodyOf(request: TransportRequest): Promise<Buffer> {
  if (request.body === null) return Buffer.alloc(0);
  if (Buffer.isBuffer(request.body)) return request.body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of request.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function name(method: string, key: string, query: Map<string, string>): string {
  if (query.has('uploads') && method === 'GET') return 'ListMultipartUploads';
  if (key === '') return method === 'HEAD' ? 'HeadBucket' : method === 'PUT' ? 'CreateBucket' : 'ListObjectsV2';
  if (method === 'HEAD') return 'HeadObject';
  if (method === 'GET') return 'GetObject';
  if (method === 'PUT') return query.has('partNumber') ? 'UploadPart' : 'PutObject';
  if (method === 'POST') return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
  return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
}

function xml(text: string): string {
  // Every character as a reference: control characters have no other way into XML.
  return Array.from(text, (character) => `&#${character.codePointAt(0)};`).join('');
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

function md5Bytes(bytes: Buffer): Buffer {
  return createHash('md5').update(bytes).digest();
}
