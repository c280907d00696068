import { S3Error } from './errors.ts';
import type { ListPage, ListRequest, ListedObject } from './operations/list-objects.ts';
import { compareUtf8 } from './utf8-order.ts';
import type { OwnCode } from './own-codes.ts';

/** Servers may send an empty page while they skip over deleted keys, but not for ever. */
const MAX_EMPTY_PAGES = 1_000;
/** Pages that tell how dense the keys are. */
const REMEMBERED_PAGES = 8;

/** What all segments of a listing have in common. */
export interface SegmentOptions {
  bucket: string;
  prefix: string;
  pageSize?: number;
  /** Last key wanted; null: all. */
  endAt: string | null;
}

/**
 * A part of a listing that is read page by page, one request after the other, by the server's own tokens. It ends where
 * the listing does, at `endAt`, or before the first key of the segment that follows.
 */
export class ListingSegment {
  /** Pages that were read and not taken yet. */
  readonly pages: ListedObject[][] = [];
  /** Nothing is left to read. */
  done = false;
  /** Why it cannot be read on; null: it can. */
  failure: unknown = null;
  /** A request is under way. */
  reading = false;
  readonly #options: SegmentOptions;
  /** First key of the segment that follows; null: none follows. */
  #before: string | null = null;
  /** From here on a look ahead found no key of this segment: a hint, by which nothing is left out. */
  #emptyFrom: string | null = null;
  #token: string | null = null;
  #lastKey: string | null;
  #emptyPages = 0;
  /** Last keys of the pages read last, with the first key of the first; oldest first. */
  #marks: string[] = [];

  /** @param startAfter null: from the beginning. */
  constructor(options: SegmentOptions, startAfter: string | null) {
    this.#options = options;
    this.#lastKey = startAfter;
  }

  /**
   * Splits a segment before the first key of a page that was listed from `text` on; the page is then the first one of the
   * segment behind. Null: the segment has nothing from there on, or has read so far itself.
   */
  static split(parent: ListingSegment, text: string, page: ListPage): ListingSegment | null {
    const start = page.objects.findIndex(({ keyIsExact }) => keyIsExact);
    const first = page.objects[start]?.key;
    if (first === undefined || parent.#isBeyond(first)) parent.#emptyFrom = text;
    else if (!parent.done && parent.#isAhead(first)) {
      const segment = new ListingSegment(parent.#options, parent.#lastKey);
      segment.#before = parent.#before;
      segment.#emptyFrom = parent.#emptyFrom;
      // Keys that are no text have no place in the order; those before the first that has one are left to the parent.
      segment.accept({ ...page, objects: page.objects.slice(start) });
      parent.#before = first;
      return segment;
    }
    return null;
  }

  /** The next request. */
  request(): ListRequest {
    const { bucket, prefix, pageSize } = this.#options;
    const from = this.#token === null ? { startAfter: this.#lastKey } : { continuationToken: this.#token };
    return { bucket, prefix, ...from, ...(pageSize === undefined ? {} : { maxKeys: pageSize }) };
  }

  /**
   * Takes the answer to `request`.
   * @throws S3Error when it cannot be the next page; see `listPages`.
   */
  accept(page: ListPage): void {
    const token = page.truncated ? this.#nextToken(page) : null;
    const kept = this.#keep(page.objects);
    this.#token = token;
    this.done = token === null || kept.reachedEnd;
    this.#emptyPages = kept.objects.length === 0 ? this.#emptyPages + 1 : 0;
    if (this.#emptyPages > MAX_EMPTY_PAGES) {
      throw this.#error('endless-listing', `${this.#emptyPages} pages in a row were empty`);
    }
    if (kept.objects.length > 0) this.pages.push(kept.objects);
  }

  /** Where the pages read last began and ended, and how many they were; null before the first page. */
  recent(): { from: string; to: string; pages: number } | null {
    const from = this.#marks[0];
    const to = this.#marks.at(-1);
    return from === undefined || to === undefined ? null : { from, to, pages: this.#marks.length - 1 };
  }

  /** A key or text that bounds what is still to be read; null: not known. */
  bound(): string | null {
    let lowest: string | null = null;
    for (const text of [this.#before, this.#options.endAt, this.#emptyFrom]) {
      if (text !== null && (lowest === null || compareUtf8(text, lowest) < 0)) lowest = text;
    }
    return lowest;
  }

  #isAhead(key: string): boolean {
    return this.#lastKey === null || compareUtf8(key, this.#lastKey) > 0;
  }

  #isBeyond(key: string): boolean {
    if (this.#before !== null && compareUtf8(key, this.#before) >= 0) return true;
    return this.#options.endAt !== null && compareUtf8(key, this.#options.endAt) > 0;
  }

  #nextToken(page: ListPage): string {
    if (page.nextToken === null) {
      throw this.#error('missing-continuation-token', 'the page is truncated but has no token for the next one');
    }
    if (page.nextToken === this.#token) {
      throw this.#error('repeated-continuation-token', 'the server sent the same token twice');
    }
    return page.nextToken;
  }

  /** Keys up to the end of the segment; checks that they really go up, because a checkpoint depends on it. */
  #keep(objects: ListedObject[]): { objects: ListedObject[]; reachedEnd: boolean } {
    for (const [index, { key, keyIsExact }] of objects.entries()) {
      if (!keyIsExact) continue;
      if (!key.startsWith(this.#options.prefix) || key === '') {
        throw this.#error('foreign-key', `key ${quote(key)} does not begin with the prefix that was asked for`);
      }
      if (!this.#isAhead(key)) {
        throw this.#error('unordered-listing', `key ${quote(key)} came after ${quote(this.#lastKey ?? '')}`);
      }
      if (this.#isBeyond(key)) return { objects: objects.slice(0, index), reachedEnd: true };
      this.#lastKey = key;
      if (this.#marks.length === 0) this.#marks.push(key);
      if (key === this.#options.endAt) return { objects: objects.slice(0, index + 1), reachedEnd: true };
    }
    if (this.#lastKey !== null && this.#marks.length > 0) this.#marks.push(this.#lastKey);
    if (this.#marks.length > REMEMBERED_PAGES + 1) this.#marks.shift();
    return { objects, reachedEnd: false };
  }

  #error(code: OwnCode, message: string): S3Error {
    const { bucket } = this.#options;
    return new S3Error({ code, message, bucket, status: 200, operation: 'ListObjectsV2', key: null, requestId: null });
  }
}

function quote(key: string): string {
  return JSON.stringify(key.length > 200 ? `${key.slice(0, 200)}…` : key);
}
