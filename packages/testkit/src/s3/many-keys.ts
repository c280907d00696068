import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { compareUtf8 } from './utf8-order.ts';

/** How many objects a listing has, and how the server behaves. */
export interface ManyKeysOptions {
  /** Objects that the buckets have, before some of them lack a few. */
  keys: number;
  /** Default 0: any free one. */
  port?: number;
  /** Keys on a page at most, whatever the client asks for. Default 1,000. */
  pageSize?: number;
  /** How long each answer takes, in ms: as a server far away. Default 0. */
  latencyMs?: number;
}

/** A server that lists more objects than anybody wants to store. */
export interface ManyKeysServer {
  readonly url: string;
  readonly port: number;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Requests by operation and bucket, as in `{ 'ListObjectsV2 all': 7 }`. */
  counts(): Record<string, number>;
  /** Most requests under way at once. */
  peakConcurrency(): number;
  stop(): Promise<void>;
}

const MODIFIED_AT = '2026-01-02T03:04:05.000Z';
const OBJECTS_PER_FOLDER = 1_000;

/**
 * Starts a stub that answers ListObjectsV2, HeadObject and HeadBucket, and refuses all else with 501. Its objects are
 * computed, not stored: bucket `all` has every one, and `lacks-N` all but each N-th. Credentials are not checked.
 */
export async function startManyKeys(options: ManyKeysOptions): Promise<ManyKeysServer> {
  const counts: Record<string, number> = {};
  let underWay = 0;
  let peak = 0;
  const server = createServer((request, response) => {
    peak = Math.max(peak, ++underWay);
    response.once('close', () => {
      underWay--;
    });
    const answer = (): void => respond(options, request.method ?? 'GET', request.url ?? '/', response, counts);
    if (options.latencyMs === undefined) answer();
    else setTimeout(answer, options.latencyMs);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    region: 'us-east-1',
    accessKeyId: 'many',
    secretAccessKey: 'keys',
    counts: () => ({ ...counts }),
    peakConcurrency: () => peak,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Name of an object: `archive/000123/456-1f83d9ab.bin`, ascending with its index. */
export function manyKeysName(index: number): string {
  const folder = String(Math.floor(index / OBJECTS_PER_FOLDER)).padStart(6, '0');
  const place = String(index % OBJECTS_PER_FOLDER).padStart(3, '0');
  return `archive/${folder}/${place}-${mixed(index)}.bin`;
}

function respond(
  options: ManyKeysOptions,
  method: string,
  target: string,
  response: ServerResponse,
  counts: Record<string, number>,
): void {
  const cut = target.indexOf('?');
  const query = new URLSearchParams(cut < 0 ? '' : target.slice(cut + 1));
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(cut < 0 ? target : target.slice(0, cut)) ?? [];
  const operation = method === 'HEAD' ? (key === '' ? 'HeadBucket' : 'HeadObject') : 'ListObjectsV2';
  counts[`${operation} ${bucket}`] = (counts[`${operation} ${bucket}`] ?? 0) + 1;
  const lacksEvery = bucket === 'all' ? 0 : Number(/^lacks-(\d+)$/.exec(bucket)?.[1] ?? Number.NaN);
  if (Number.isNaN(lacksEvery)) send(response, 404, '<Error><Code>NoSuchBucket</Code></Error>');
  else if (operation === 'HeadBucket') send(response, 200, '');
  else if (operation === 'HeadObject') head(options, lacksEvery, decodeURIComponent(key), response);
  else if (method !== 'GET' || key !== '' || query.get('list-type') !== '2') {
    send(response, 501, '<Error><Code>NotImplemented</Code></Error>');
  } else send(response, 200, page(options, lacksEvery, query));
}

function head(options: ManyKeysOptions, lacksEvery: number, key: string, response: ServerResponse): void {
  const index = indexBehind(options.keys, key) - 1;
  if (index < 0 || manyKeysName(index) !== key || isLacking(index, lacksEvery)) {
    response.writeHead(404).end();
    return;
  }
  const modified = new Date(MODIFIED_AT).toUTCString();
  response.writeHead(200, { 'content-length': sizeOf(index), etag: etagOf(index), 'last-modified': modified }).end();
}

function page(options: ManyKeysOptions, lacksEvery: number, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const size = Math.min(options.pageSize ?? 1_000, Number(query.get('max-keys') ?? 1_000));
  let index = indexBehind(options.keys, after);
  if (prefix !== '' && compareUtf8(manyKeysName(index), prefix) < 0) index = indexBehind(options.keys, prefix);
  const contents: string[] = [];
  let last = '';
  for (; index < options.keys && contents.length < size; index++) {
    if (isLacking(index, lacksEvery)) continue;
    const key = manyKeysName(index);
    if (!key.startsWith(prefix)) {
      index = options.keys;
      break;
    }
    last = key;
    contents.push(
      `<Contents><Key>${key.replaceAll('/', '%2F')}</Key><LastModified>${MODIFIED_AT}</LastModified>` +
        `<ETag>&quot;${etagOf(index).slice(1, -1)}&quot;</ETag><Size>${sizeOf(index)}</Size></Contents>`,
    );
  }
  const truncated = index < options.keys;
  const token = truncated ? `<NextContinuationToken>${last}</NextContinuationToken>` : '';
  return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${truncated}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`;
}

/** Index of the first object whose name comes after `text`. */
function indexBehind(keys: number, text: string): number {
  let low = 0;
  let high = keys;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (compareUtf8(manyKeysName(middle), text) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isLacking(index: number, lacksEvery: number): boolean {
  return lacksEvery > 0 && index % lacksEvery === 0;
}

function sizeOf(index: number): number {
  return index % 5_000;
}

function etagOf(index: number): string {
  return `"${mixed(index)}${mixed(index + 1)}${mixed(index + 2)}${mixed(index + 3)}"`;
}

/** Eight hex digits that look like a digest. */
function mixed(index: number): string {
  return (Math.imul(index ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 0).toString(16).padStart(8, '0');
}

function send(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(body) })
    .end(body);
}
