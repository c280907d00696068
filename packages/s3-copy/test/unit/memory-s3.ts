import { createHash } from 'node:crypto';
import { BodyStream } from '../../src/body-stream.ts';
import type { Cancellation } from '../../src/cancellation.ts';
import { decodeListedKey, encodeQueryText } from '../../src/percent-encoding.ts';
import { ResponseHeaders } from '../../src/response-headers.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../src/transport.ts';
import { childElements, childText, parseXml } from '../../src/xml.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';

export interface StoredObject {
  bytes: Buffer;
  etag: string;
  headers: Record<string, string>;
  modifiedMs: number;
  /** Sizes of the parts that it was made of; absent: none. */
  parts?: number[];
  /** As the header of an upload has them. */
  tags?: string;
}

interface Upload {
  key: string;
  headers: Record<string, string>;
  parts: Map<number, Buffer>;
  /** As the header of an upload has them; absent: none. */
  tags?: string;
}

/** What servers differ in. */
export interface MemoryS3Features {
  /** HEAD and GET of single parts; false: the question is ignored (Ceph) · 405: refused (Swift). */
  partNumbers: boolean | 405;
  tags: boolean;
  /** Tags given when an upload is created stay (false: Ceph). */
  tagsOfUploads: boolean;
  /** Metadata is read as Latin-1 and given back as encoded words (Swift). */
  encodesMetadata: boolean;
  /** Copies within the server. */
  copies: boolean;
  /** Conditions on the source of such a copy (false: Ceph). */
  copyConditions: boolean;
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
  features: MemoryS3Features = {
    partNumbers: true,
    tags: true,
    tagsOfUploads: true,
    encodesMetadata: false,
    copies: true,
    copyConditions: true,
  };
  #sorted: string[] | null = null;
  #nextUpload = 1;

  put(key: string, bytes: Buffer | string, headers: Record<string, string> = {}, modifiedMs = this.nowMs): void {
    const content = Buffer.from(bytes);
    this.objects.set(key, { bytes: content, etag: `"${md5(content)}"`, headers, modifiedMs });
    this.#sorted = null;
  }

  /** Stores an object as if it had been uploaded in parts of these sizes. */
  putInParts(key: string, bytes: Buffer, sizes: readonly number[], headers: Record<string, string> = {}): void {
    this.put(key, bytes, headers);
    const object = this.objects.get(key)!;
    let first = 0;
    const md5s = sizes.map((size) => md5Bytes(bytes.subarray(first, (first += size))));
    object.parts = [...sizes];
    object.etag = `"${md5(Buffer.concat(md5s))}-${sizes.length}"`;
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
    const operation = name(request.method, key, query, headers);
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
        if (object === undefined) return reply(404, {}, '');
        return query.has('partNumber') ? this.#headPart(object, query) : reply(200, describe(object), '');
      case 'GetObject':
        return object === undefined ? errorReply(404, 'NoSuchKey') : getReply(object, headers, request);
      case 'PutObject':
        if (headers.has('x-amz-tagging') && !this.features.tags) return errorReply(501, 'NotImplemented');
        this.put(key, body, this.#kept(headers));
        this.#tag(key, headers.get('x-amz-tagging') ?? '');
        return reply(200, { etag: `"${md5(body)}"` }, '');
      case 'GetObjectTagging':
        return object === undefined ? errorReply(404, 'NoSuchKey') : reply(200, {}, tagsXml(object.tags ?? ''));
      case 'PutObjectTagging':
        if (object === undefined) return errorReply(404, 'NoSuchKey');
        this.#tag(key, tagsOfXml(body.toString()));
        return reply(200, {}, '');
      case 'CopyObject':
        return this.#copy(key, headers);
      case 'UploadPartCopy':
        return this.#copyPart(upload, query, headers);
      case 'ListParts':
        return upload === undefined ? errorReply(404, 'NoSuchUpload') : reply(200, {}, partsXml(upload, query));
      case 'CreateMultipartUpload': {
        if (headers.has('x-amz-tagging') && !this.features.tags) return errorReply(501, 'NotImplemented');
        const id = `upload-${this.#nextUpload++}`;
        const tags = this.features.tagsOfUploads ? (headers.get('x-amz-tagging') ?? '') : '';
        this.uploads.set(id, { key, headers: this.#kept(headers), parts: new Map(), tags });
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
        this.putInParts(
          key,
          Buffer.concat(parts),
          parts.map((part) => part.length),
          upload.headers,
        );
        this.#tag(key, upload.tags ?? '');
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

  #kept(headers: Map<string, string>): Record<string, string> {
    const plain = kept(headers);
    if (!this.features.encodesMetadata) return plain;
    return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, encodedOrPlain(value)]));
  }

  #tag(key: string, tags: string): void {
    const object = this.objects.get(key);
    if (object === undefined) return;
    object.tags = tags;
    delete object.headers['x-amz-tagging-count'];
    if (tags !== '') object.headers['x-amz-tagging-count'] = String(tags.split('&').length);
  }

  #headPart(object: StoredObject, query: Map<string, string>): TransportResponse {
    if (this.features.partNumbers === 405) return reply(405, {}, '');
    if (!this.features.partNumbers) return reply(200, describe(object), '');
    const sizes = object.parts ?? [object.bytes.length];
    const number = Number(query.get('partNumber'));
    const first = sizes.slice(0, number - 1).reduce((sum, size) => sum + size, 0);
    const size = sizes[number - 1];
    if (size === undefined) return reply(416, {}, '');
    const headers: Record<string, string> = {
      ...describe(object),
      'content-length': String(size),
      'content-range': `bytes ${first}-${first + size - 1}/${object.bytes.length}`,
    };
    if (object.parts !== undefined) headers['x-amz-mp-parts-count'] = String(sizes.length);
    return reply(206, headers, '');
  }

  #copy(key: string, headers: Map<string, string>): TransportResponse {
    if (!this.features.copies) return errorReply(501, 'NotImplemented');
    const source = this.objects.get(sourceKey(headers));
    if (source === undefined) return errorReply(404, 'NoSuchKey');
    this.put(key, source.bytes, { ...source.headers });
    this.#tag(key, source.tags ?? '');
    const { etag } = this.objects.get(key)!;
    return reply(200, {}, `<CopyObjectResult><ETag>${etag.replaceAll('"', '&quot;')}</ETag></CopyObjectResult>`);
  }

  #copyPart(upload: Upload | undefined, query: Map<string, string>, headers: Map<string, string>): TransportResponse {
    if (!this.features.copies) return errorReply(501, 'NotImplemented');
    const source = this.objects.get(sourceKey(headers));
    if (source === undefined || upload === undefined) return errorReply(404, 'NoSuchKey');
    const wanted = headers.get('x-amz-copy-source-if-match');
    if (this.features.copyConditions && wanted !== undefined && wanted !== source.etag) {
      return errorReply(412, 'PreconditionFailed');
    }
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.get('x-amz-copy-source-range') ?? '');
    const part = source.bytes.subarray(Number(range?.[1]), Number(range?.[2]) + 1);
    upload.parts.set(Number(query.get('partNumber')), part);
    return reply(200, {}, `<CopyPartResult><ETag>${md5(part)}</ETag></CopyPartResult>`);
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
  return Object.fromEntries(
    [...headers].filter(
      ([each]) => each.startsWith('x-amz-meta-') || ['content-type', 'x-amz-storage-class'].includes(each),
    ),
  );
}

async function bodyOf(request: TransportRequest): Promise<Buffer> {
  if (request.body === null) return Buffer.alloc(0);
  if (Buffer.isBuffer(request.body)) return request.body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of request.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function encodedOrPlain(value: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is what is asked for
  return /^[\x00-\x7f]*$/.test(value) ? value : `=?UTF-8?B?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

function sourceKey(headers: Map<string, string>): string {
  const [, , ...key] = (headers.get('x-amz-copy-source') ?? '').split('/');
  return decodeURIComponent(key.join('/'));
}

function tagsXml(tags: string): string {
  const pairs = tags === '' ? [] : tags.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
  const items = pairs.map(([key = '', value = '']) => `<Tag><Key>${xml(key)}</Key><Value>${xml(value)}</Value></Tag>`);
  return `<Tagging><TagSet>${items.join('')}</TagSet></Tagging>`;
}

function tagsOfXml(text: string): string {
  const [set] = childElements(parseXml(Buffer.from(text))?.content ?? {}, 'TagSet');
  const pairs = childElements(set ?? {}, 'Tag').map((tag) =>
    ['Key', 'Value'].map((each) => childText(tag, each) ?? ''),
  );
  return pairs.map((pair) => pair.map(encodeQueryText).join('=')).join('&');
}

/** Two parts a page, so that the marker matters. */
function partsXml(upload: Upload, query: Map<string, string>): string {
  const marker = Number(query.get('part-number-marker') ?? 0);
  const after = [...upload.parts].filter(([number]) => number > marker).sort(([a], [b]) => a - b);
  const page = after.slice(0, 2);
  const items = page.map(
    ([number, part]) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${md5(part)}</ETag><Size>${part.length}</Size></Part>`,
  );
  const next = `<NextPartNumberMarker>${page.at(-1)?.[0] ?? ''}</NextPartNumberMarker>`;
  return `<ListPartsResult><IsTruncated>${after.length > page.length}</IsTruncated>${next}${items.join('')}</ListPartsResult>`;
}

function name(method: string, key: string, query: Map<string, string>, headers: Map<string, string>): string {
  if (query.has('uploads') && method === 'GET') return 'ListMultipartUploads';
  if (key === '') return method === 'HEAD' ? 'HeadBucket' : method === 'PUT' ? 'CreateBucket' : 'ListObjectsV2';
  if (method === 'HEAD') return 'HeadObject';
  if (method === 'GET') {
    return query.has('uploadId') ? 'ListParts' : query.has('tagging') ? 'GetObjectTagging' : 'GetObject';
  }
  if (method === 'PUT') {
    const copies = headers.has('x-amz-copy-source');
    if (query.has('partNumber')) return copies ? 'UploadPartCopy' : 'UploadPart';
    return query.has('tagging') ? 'PutObjectTagging' : copies ? 'CopyObject' : 'PutObject';
  }
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
