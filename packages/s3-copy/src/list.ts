import type { S3Client } from './client.ts';
import type { CallContext } from './gate.ts';
import { listObjectsPage } from './operations/list-objects.ts';
import type { ListPage, ListRequest, ListedObject } from './operations/list-objects.ts';
import { ParallelListing } from './parallel-listing.ts';

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
  /** Requests under way at once: 1–64. More than one are used only when pages are waited for. Default 1. */
  listings?: number;
}

/** More would not be faster: the pages have to be read by this process as well. */
const MAX_LISTINGS = 64;

/**
 * Lists objects page by page, in order. With one listing the next page is fetched while the last one is being used; with
 * several, parts further on are read at the same time (see parallel-listing.ts). Memory holds 2 pages, or 8 for each
 * listing and 16 more, whatever the size of the bucket.
 * @throws S3Error `missing-continuation-token`, `repeated-continuation-token` or `endless-listing` when a server would
 *   send us in circles, `unordered-listing` when keys do not go up, `foreign-key` when one lacks the prefix.
 */
export function listPages(fetch: PageFetcher, options: ListOptions): AsyncGenerator<ListedObject[], void> {
  const { bucket, prefix, range, pageSize } = options;
  return new ParallelListing(fetch, {
    bucket,
    prefix,
    ...(pageSize === undefined ? {} : { pageSize }),
    startAfter: range?.startAfter ?? null,
    endAt: range?.endAt ?? null,
    listings: Math.min(MAX_LISTINGS, Math.max(1, options.listings ?? 1)),
  }).pages();
}
