import { listPages } from './list.ts';
import type { ListOptions, PageFetcher } from './list.ts';
import type { ListedObject } from './operations/list-objects.ts';
import { compareUtf8 } from './utf8-order.ts';

/** Pages that are read towards one key before it is given up, and asked for by itself. */
const MAX_PAGES_PER_KEY = 4;
/** Keys in a row that are asked for one by one at most, before the listing is tried again. */
const MAX_SINGLES = 1_024;

/** What the target has under a key. `unknown`: the listing does not tell at a fair price, ask for the object. */
export type Found = ListedObject | 'absent' | 'unknown';

/**
 * Looks keys up in a listing, in ascending order, and never asks for more of it than was looked up.
 *
 * Where the target has many keys between two that are looked up, listing them all would cost more than asking for the
 * two. So a key that lies further than 4 pages ahead is `unknown`, the listing starts again behind it, and each time
 * that this happens twice as many of the keys that follow are `unknown` at once. Requests for n keys among m of the
 * target: about m ÷ 1,000 where they are dense, n and a few where they are sparse.
 */
export class TargetListing {
  readonly #fetch: PageFetcher;
  readonly #options: Omit<ListOptions, 'range'>;
  readonly #endAt: string | null;
  #pages: AsyncGenerator<ListedObject[], void> | null = null;
  #page: ListedObject[] = [];
  #next = 0;
  /** Everything up to this key was read; null: nothing. */
  #readUpTo: string | null = null;
  #complete = false;
  #startAfter: string | null;
  #singles = 0;
  #singlesLeft = 0;

  constructor(fetch: PageFetcher, options: ListOptions) {
    this.#fetch = fetch;
    this.#options = options;
    this.#startAfter = options.range?.startAfter ?? null;
    this.#endAt = options.range?.endAt ?? null;
  }

  /** Whether `find` knows about this key without another request. */
  knows(key: string): boolean {
    if (this.#complete || this.#singlesLeft > 0) return true;
    return this.#readUpTo !== null && compareUtf8(key, this.#readUpTo) <= 0;
  }

  /** Reads on until it knows about this key. */
  async readTo(key: string): Promise<void> {
    for (let pages = 0; !this.knows(key); pages++) {
      if (pages === MAX_PAGES_PER_KEY) {
        await this.#skipTo(key);
        return;
      }
      this.#pages ??= listPages(this.#fetch, {
        ...this.#options,
        range: { startAfter: this.#startAfter, endAt: this.#endAt },
      });
      const { done, value } = await this.#pages.next();
      if (done === true) {
        this.#complete = true;
        return;
      }
      // Keys that are no text equal no other key, and have no place in the order.
      this.#page = value.filter(({ keyIsExact }) => keyIsExact);
      this.#next = 0;
      this.#readUpTo = this.#page.at(-1)?.key ?? this.#readUpTo;
    }
  }

  /** What the target has; `knows(key)` must hold, and keys must ascend. */
  find(key: string): Found {
    if (this.#singlesLeft > 0) {
      this.#singlesLeft--;
      this.#startAfter = key;
      return 'unknown';
    }
    for (let object = this.#page[this.#next]; object !== undefined; object = this.#page[++this.#next]) {
      const order = compareUtf8(object.key, key);
      if (order > 0) break;
      if (order < 0) continue;
      this.#next++;
      this.#singles = 0;
      return object;
    }
    return 'absent';
  }

  /** Ends the listing; requests under way are not waited for. */
  async close(): Promise<void> {
    await this.#pages?.return();
    this.#pages = null;
  }

  async #skipTo(key: string): Promise<void> {
    await this.close();
    this.#page = [];
    this.#readUpTo = null;
    this.#startAfter = key;
    this.#singles = Math.min(MAX_SINGLES, Math.max(1, this.#singles * 2));
    this.#singlesLeft = this.#singles;
  }
}
