/*
 * One listing, read by several requests at once and still given out in order.
 *
 *   segments:  [ front ][ next ][ next ] …    each is read by the server's tokens, page after page
 *   taken from the front only, so that one checkpoint says all, whatever the segments behind have read ahead
 *
 * It begins as one segment. When whoever takes the pages waits for them, a look ahead lists from a text that lies some
 * pages behind the end of a segment, as far as its keys let guess; the first real key of the answer splits the segment,
 * and the answer is the first page of the new one. The text itself is never a border: a server that reads it otherwise
 * than we do costs an uneven split, and no key.
 *
 * Bounds: `listings` requests under way, `listings + 2` segments, PAGES_AHEAD pages held for each. Requests beyond one
 * for each page: the last page of a segment is read in part by the one behind as well, and looks ahead that found
 * nothing are limited to WASTE_PER_PAGE.
 */
import { CancelledError } from './cancellation.ts';
import { S3Error } from './errors.ts';
import { pagesUpTo, textBehind } from './key-guess.ts';
import { KeySpace } from './key-space.ts';
import { ListingSegment } from './listing-segment.ts';
import type { SegmentOptions } from './listing-segment.ts';
import type { ListPage, ListRequest, ListedObject } from './operations/list-objects.ts';
import { compareUtf8 } from './utf8-order.ts';

/** Length of a segment that is aimed at, and most pages held for one. */
const PAGES_AHEAD = 8;
/** Waits for a page before a look ahead is worth it: small listings cost one request for each page, and no more. */
const PATIENCE = 4;
/** Looks ahead that may find nothing, at once and for each page that was read. */
const WASTE_ALLOWED = 4;
const WASTE_PER_PAGE = 1 / 16;
/** Every n-th key is shown to the key space. */
const OBSERVE_EVERY = 8;

export interface ParallelListingOptions extends SegmentOptions {
  startAfter: string | null;
  /** Requests under way at most: 1 or more. */
  listings: number;
}

/** A listing under way. */
export class ParallelListing {
  readonly #fetch: (request: ListRequest) => Promise<ListPage>;
  readonly #options: ParallelListingOptions;
  readonly #space = new KeySpace();
  #segments: ListingSegment[];
  #underWay = 0;
  #pagesRead = 0;
  /** Grows with each wait for a page, and falls more slowly while pages lie ready. */
  #hunger = 0;
  #wasted = 0;
  #mayLookAhead: boolean;
  #lookingAhead: ListingSegment | null = null;
  #stopped = false;
  #wake: (() => void) | null = null;

  constructor(fetch: (request: ListRequest) => Promise<ListPage>, options: ParallelListingOptions) {
    this.#fetch = fetch;
    this.#options = options;
    this.#segments = [new ListingSegment(options, options.startAfter)];
    this.#mayLookAhead = options.listings > 1;
  }

  /** All pages in order; to be called once. Stop early by returning: nothing more is asked for then. */
  async *pages(): AsyncGenerator<ListedObject[], void> {
    try {
      for (let front = this.#segments[0]; front !== undefined; front = this.#segments[0]) {
        const page = front.pages.shift();
        if (page !== undefined) {
          this.#hunger = Math.max(0, this.#hunger - 1 / (2 * this.#options.listings));
          this.#readOn();
          yield page;
        } else if (front.failure !== null) {
          throw front.failure;
        } else if (front.done) {
          this.#segments.shift();
        } else {
          await this.#wait();
        }
      }
    } finally {
      this.#stopped = true;
    }
  }

  async #wait(): Promise<void> {
    this.#readOn();
    if (this.#pagesRead > 0) this.#hunger = Math.min(2 * PATIENCE, this.#hunger + 1);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Starts every request that may be under way: those nearest to the front come first. */
  #readOn(): void {
    if (this.#stopped) return;
    for (const [index, segment] of this.#segments.entries()) {
      if (this.#underWay >= this.#options.listings) return;
      if (segment.reading || segment.done || segment.failure !== null) continue;
      if (segment.pages.length < this.#room(index)) void this.#read(segment);
    }
    if (this.#underWay < this.#options.listings) this.#lookAhead();
  }

  /** Pages that may be held for a segment. A single one is read a page ahead, as its pages are taken. */
  #room(index: number): number {
    return index === 0 && this.#segments.length === 1 ? 1 : PAGES_AHEAD;
  }

  async #read(segment: ListingSegment): Promise<void> {
    segment.reading = true;
    await this.#request(segment.request(), (page) => segment.accept(page)).catch((error: unknown) => {
      segment.failure = error;
      segment.done = true;
      this.#mayLookAhead = false;
    });
    segment.reading = false;
    this.#changed();
  }

  /** Lists from where a segment should be split. */
  #lookAhead(): void {
    const held = this.#segments.reduce((sum, { pages }) => sum + pages.length, 0);
    const enough = held >= (this.#options.listings * PAGES_AHEAD) / 2;
    if (!this.#mayLookAhead || this.#lookingAhead !== null || enough) return;
    if (this.#hunger < PATIENCE || this.#segments.length >= this.#options.listings + 2) return;
    if (this.#wasted > WASTE_ALLOWED + this.#pagesRead * WASTE_PER_PAGE) return;
    for (const segment of this.#segments) {
      const text = this.#splitText(segment);
      if (text === null) continue;
      void this.#split(segment, text);
      return;
    }
  }

  /** Where a segment should be split; null: it is short enough, or there is nothing to tell. */
  #splitText(segment: ListingSegment): string | null {
    const stretch = segment.done || segment.failure !== null ? null : segment.recent();
    if (stretch === null) return null;
    const bound = segment.bound();
    if (bound !== null && pagesUpTo(this.#space, stretch, bound) <= 2 * PAGES_AHEAD) return null;
    const text = textBehind(this.#space, stretch, PAGES_AHEAD, this.#options.prefix);
    return text === null || (bound !== null && compareUtf8(text, bound) >= 0) ? null : text;
  }

  async #split(segment: ListingSegment, text: string): Promise<void> {
    this.#lookingAhead = segment;
    const { bucket, prefix, pageSize } = this.#options;
    const size = pageSize === undefined ? {} : { maxKeys: pageSize };
    try {
      await this.#request({ bucket, prefix, startAfter: text, ...size }, (page) => {
        const behind = ListingSegment.split(segment, text, page);
        if (behind === null) this.#wasted++;
        else this.#segments.splice(this.#segments.indexOf(segment) + 1, 0, behind);
      });
    } catch (error) {
      // A server that does not take such a text can be listed all the same. What else is wrong, the segments will meet.
      this.#mayLookAhead = false;
      if (!(error instanceof S3Error) && !(error instanceof CancelledError)) segment.failure = error;
    }
    this.#lookingAhead = null;
    this.#changed();
  }

  async #request(request: ListRequest, accept: (page: ListPage) => void): Promise<void> {
    this.#underWay++;
    try {
      const page = await this.#fetch(request);
      this.#pagesRead++;
      if (this.#mayLookAhead) this.#observe(page);
      accept(page);
    } finally {
      this.#underWay--;
    }
  }

  #observe(page: ListPage): void {
    for (let index = 0; index < page.objects.length; index += OBSERVE_EVERY) {
      const object = page.objects[index];
      if (object?.keyIsExact === true) this.#space.observe(object.key);
    }
    const last = page.objects.at(-1);
    if (last?.keyIsExact === true) this.#space.observe(last.key);
  }

  #changed(): void {
    this.#wake?.();
    this.#wake = null;
    this.#readOn();
  }
}
