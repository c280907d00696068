import type { S3Client } from './client.ts';
import { S3Error } from './errors.ts';
import type { CallContext } from './gate.ts';
import { listObjectsPage } from './operations/list-objects.ts';
import type { ListPage, ListRequest, ListedObject } from './operations/list-objects.ts';
import { compareUtf8 } from './utf8-order.ts';

/** Part of a listing: keys after `startAfter` up to and including `endAt`, in UTF-8 byte order; null for no bound. */
export interface KeyRange {
  startAfter: string | null;
  endAt: string | null;
}

/** How one page is fetched: the network in production, memory in tests. */
export type PageFetcher = (request: ListRequest) => Promise<ListPage>;

/** A fetcher over a client. */
export function pageFetcher(client: S3Client, call: CallContext): PageFetcher {
  return (request) => listObjectsPage(client, request, call);
}

export interface ListOptions {
  bucket: string;
  prefix: string;
  range?: KeyRange;
  /** Keys per page: 1–1,000. Default: the server's. */
  pageSize?: number;
}

/**
 * Lists objects page by page. One page is fetched ahead while the last one is being used, so memory holds two pages,
 * whatever the size of the bucket.
 * @throws S3Error `missing-continuation-token` or `repeated-continuation-token` when a server would send us in circles,
 *   `unordered-listing` when pages overlap or go back.
 */
export async function* listPages(fetch: PageFetcher, options: ListOptions): AsyncGenerator<ListedObject[], void> {
  const range = options.range ?? { startAfter: null, endAt: null };
  const base: ListRequest = { bucket: options.bucket, prefix: options.prefix };
  if (options.pageSize !== undefined) base.maxKeys = options.pageSize;
  let lastKey = range.startAfter;
  let emptyPages = 0;
  let token: string | null = null;
  let next: Promise<ListPage> | null = settled(fetch({ ...base, startAfter: range.startAfter }));
  while (next !== null) {
    const page: ListPage = await next;
    const ahead: string | null = page.truncated ? nextToken(page, token, options.bucket) : null;
    const kept = withinRange(page.objects, lastKey, range.endAt, options.bucket);
    next = ahead === null || kept.reachedEnd ? null : settled(fetch({ ...base, continuationToken: ahead }));
    token = ahead;
    lastKey = kept.lastKey;
    emptyPages = kept.objects.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > MAX_EMPTY_PAGES) {
      throw listingError('endless-listing', `${emptyPages} pages in a row were empty`, options.bucket);
    }
    if (kept.objects.length > 0) yield kept.objects;
  }
}

/** Servers may send an empty page while they skip over deleted keys, but not for ever. */
const MAX_EMPTY_PAGES = 1_000;

/** Marks a rejection as seen: a consumer that stops early never awaits the page that was fetched ahead. */
function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function nextToken(page: ListPage, token: string | null, bucket: string): string {
  if (page.nextToken === null) {
    throw listingError('missing-continuation-token', 'the page is truncated but has no token for the next one', bucket);
  }
  if (page.nextToken === token) {
    throw listingError('repeated-continuation-token', 'the server sent the same token twice', bucket);
  }
  return page.nextToken;
}

interface KeptObjects {
  objects: ListedObject[];
  lastKey: string | null;
  reachedEnd: boolean;
}

/** Keys up to the end of the range; checks that they really go up, because a checkpoint depends on it. */
function withinRange(objects: ListedObject[], after: string | null, endAt: string | null, bucket: string): KeptObjects {
  let lastKey = after;
  for (const [index, object] of objects.entries()) {
    const distance = endAt === null ? -1 : compareUtf8(object.key, endAt);
    if (distance > 0) return { objects: objects.slice(0, index), lastKey, reachedEnd: true };
    if (!object.keyIsExact) continue;
    if (lastKey !== null && compareUtf8(object.key, lastKey) <= 0) {
      const message = `key ${JSON.stringify(object.key)} came after ${JSON.stringify(lastKey)}`;
      throw listingError('unordered-listing', message, bucket);
    }
    lastKey = object.key;
    if (distance === 0) return { objects: objects.slice(0, index + 1), lastKey, reachedEnd: true };
  }
  return { objects, lastKey, reachedEnd: false };
}

function listingError(code: string, message: string, bucket: string): S3Error {
  return new S3Error({ code, message, status: 200, operation: 'ListObjectsV2', bucket, key: null, requestId: null });
}
