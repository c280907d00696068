import type { S3Client } from './client.ts';
import type { CallContext } from './gate.ts';
import { KeySpace, TOP, commonLength, pointsOf, textOf } from './key-space.ts';
import { pageFetcher } from './list.ts';
import type { KeyRange, PageFetcher } from './list.ts';
import type { ListPage } from './operations/list-objects.ts';
import { compareUtf8 } from './utf8-order.ts';

/** A listing that is to be split. */
export interface PlanRangesOptions {
  bucket: string;
  prefix: string;
  /** Default: the whole listing. */
  range?: KeyRange;
  /** Ranges wanted at most: 1–1,024. */
  ranges: number;
  /** Do not make ranges smaller than this many keys. Default 500. */
  minKeysPerRange?: number;
}

/** Where to split. */
export interface RangePlan {
  /** Real keys b₁ < b₂ < …, which make the ranges (start, b₁], (b₁, b₂], …, (bₙ, end]. Empty: do not split. */
  boundaries: string[];
  /** Keys in the listing: exact when few, else estimated. */
  estimatedKeys: number;
  /** ListObjectsV2 requests that were sent. */
  requests: number;
}

/** Plans over a client; every request passes the gate of `call`. */
export function planRanges(client: S3Client, options: PlanRangesOptions, call: CallContext): Promise<RangePlan> {
  return planRangesWith(pageFetcher(client, call), options);
}

/**
 * Finds keys that split a listing into about equal parts without reading it.
 *
 * One page shows how dense keys are where it lies: 1,000 keys cover so much of the key space. Each part's size is
 * estimated from the page at its start, and the part that looks largest is split in the middle of the key space by the
 * page there, until parts are small against the wanted ranges. Boundaries are chosen among the keys seen. Wrong
 * estimates make unequal ranges, never wrong ones. Requests: about 30 + 4 × ranges at most; 1 per 1,000 keys in listings of up to 8,000.
 */
export async function planRangesWith(fetch: PageFetcher, options: PlanRangesOptions): Promise<RangePlan> {
  const survey = new Survey(fetch, options);
  await survey.run();
  return survey.plan(options.ranges, options.minKeysPerRange ?? 500);
}

/** Keys from `first` on and below `bound`, with the page that begins them. */
interface Part {
  first: string;
  /** No key of this part is at or above it; null: unknown, only for the very first page. */
  bound: string;
  /** Keys of the page at its start: each of the `sampled` ones with the number of keys up to and including it. */
  sampled: { key: string; count: number }[];
  pageCount: number;
  pageLast: string;
  /** The page covers the part: its size is known. */
  exact: boolean;
  /** Look after the page's folder next, not half-way. */
  folderNext: boolean;
}

/** Pages read one after another at the start: a listing that ends within them is known exactly. */
const READ_THROUGH_PAGES = 8;
/** Looks into the key space, at least and per wanted range. */
const MIN_PROBES = 24;
const PROBES_PER_RANGE = 4;
/** Parts that look no larger than this are not split further: the page at their start covers most of them. */
const FINE_ENOUGH_KEYS = 1_200;
/** Every n-th key of a page is remembered. */
const SAMPLE_EVERY = 16;

class Survey {
  readonly #fetch: PageFetcher;
  readonly #options: PlanRangesOptions;
  readonly #endAt: string | null;
  readonly #space = new KeySpace();
  #parts: Part[] = [];
  #requests = 0;

  constructor(fetch: PageFetcher, options: PlanRangesOptions) {
    this.#fetch = fetch;
    this.#options = options;
    this.#endAt = options.range?.endAt ?? null;
  }

  async run(): Promise<void> {
    let after = this.#options.range?.startAfter ?? null;
    let complete = false;
    for (let pages = 0; pages < READ_THROUGH_PAGES && !complete; pages++) {
      const page = await this.#page(after);
      const [first] = page.keys;
      if (first === undefined) {
        complete = true;
        break;
      }
      const part = this.#part(page, first, `${page.keys.at(-1)}\u0000`);
      part.exact = true;
      this.#parts.push(part);
      after = part.pageLast;
      ({ complete } = page);
    }
    const last = this.#parts.at(-1);
    if (complete || last === undefined) return;
    last.exact = false;
    last.bound = await this.#findBound(last.pageLast);
    await this.#refine();
  }

  /** Splits the part that looks largest, again and again. */
  async #refine(): Promise<void> {
    const budget = this.#requests + Math.max(MIN_PROBES, PROBES_PER_RANGE * this.#options.ranges);
    while (this.#requests < budget) {
      const largest = this.#largestUnknown();
      if (largest === null) return;
      await this.#split(largest);
    }
  }

  plan(ranges: number, minKeysPerRange: number): RangePlan {
    const marks: { key: string; count: number }[] = [];
    let total = 0;
    for (const part of this.#parts) {
      for (const { key, count } of part.sampled) marks.push({ key, count: total + count });
      total += this.#estimate(part);
    }
    const wanted = Math.min(ranges, Math.floor(total / Math.max(1, minKeysPerRange)));
    const boundaries: string[] = [];
    let at = 0;
    for (let index = 1; index < wanted; index++) {
      const target = (total * index) / wanted;
      while (at + 1 < marks.length && distance(marks[at + 1], target) <= distance(marks[at], target)) at++;
      const key = marks[at]?.key;
      const isLast = at === marks.length - 1 && this.#parts.at(-1)?.exact === true;
      if (key !== undefined && !isLast && key !== boundaries.at(-1)) boundaries.push(key);
    }
    return { boundaries, estimatedKeys: Math.round(total), requests: this.#requests };
  }

  /** The part that looks largest among those whose size is a guess; null when all are small enough. */
  #largestUnknown(): Part | null {
    let total = 0;
    let largest: Part | null = null;
    let most = 0;
    for (const part of this.#parts) {
      const estimate = this.#estimate(part);
      total += estimate;
      if (part.exact || estimate <= most) continue;
      largest = part;
      most = estimate;
    }
    return most > Math.max(FINE_ENOUGH_KEYS, total / (4 * this.#options.ranges)) ? largest : null;
  }

  /**
   * Size of a part from the density of its page and from those of the page's last half, quarter and eighth: the largest
   * counts, because a part that was taken for small is never looked at again. A page that begins in one folder and ends in
   * the next looks sparse as a whole; its end tells how dense that next folder is.
   */
  #estimate(part: Part): number {
    if (part.exact) return part.pageCount;
    let most = this.#extrapolate(part, part.first, 0);
    for (const share of [2, 4, 8]) {
      const from = part.sampled[part.sampled.length - 1 - Math.floor(part.sampled.length / share)];
      if (from !== undefined) most = Math.max(most, this.#extrapolate(part, from.key, from.count));
    }
    return most;
  }

  /** Size of a part when all of it is as dense as its page is from `from` on, its key number `before`. */
  #extrapolate(part: Part, from: string, before: number): number {
    const points = pointsOf(from);
    const bound = pointsOf(part.bound);
    const base = commonLength(points, bound);
    const start = this.#space.place(points, base, 'likely');
    const covered = this.#space.place(pointsOf(part.pageLast), base, 'likely') - start;
    const whole = this.#space.place(bound, base, 'likely') - start;
    // Below the resolution of a place: the page covers next to nothing of the part, so the part is huge.
    return before + (part.pageCount - before) * Math.max(1, whole / Math.max(covered, Number.EPSILON));
  }

  /** Splits a part in the middle of what its page does not cover. */
  async #split(part: Part): Promise<void> {
    const middle = this.#middle(part);
    if (middle === null) {
      // Nothing fits between: what is left of it is too small to matter.
      part.exact = true;
      return;
    }
    const page = await this.#page(middle, part.bound);
    // The middle itself may be a key, and the page begins after it.
    const index = this.#parts.indexOf(part);
    const right = page.keys[0] === undefined ? [] : [this.#part(page, page.keys[0], part.bound)];
    part.bound = `${middle}\u0000`;
    this.#parts.splice(index + 1, 0, ...right);
  }

  /** Where to look next: after the folder that the page lies in, or half-way to the bound; in turns. */
  #middle(part: Part): string | null {
    part.folderNext = !part.folderNext;
    const texts = part.folderNext ? [this.#halfWay(part), afterFolder(part)] : [afterFolder(part), this.#halfWay(part)];
    const inside = (text: string | null): text is string =>
      text !== null && compareUtf8(text, part.pageLast) > 0 && compareUtf8(text, part.bound) < 0;
    return texts.find(inside) ?? null;
  }

  #halfWay(part: Part): string {
    const low = pointsOf(part.pageLast);
    const high = pointsOf(part.bound);
    const base = commonLength(low, high);
    const from = this.#space.place(low, base, 'possible');
    const to = this.#space.place(high, base, 'possible');
    return textOf(this.#space.textAt((from + to) / 2, low.slice(0, base), (to - from) / 16));
  }

  #part(page: SeenPage, first: string, bound: string): Part {
    const sampled = page.keys.flatMap((key, index) =>
      index % SAMPLE_EVERY === 0 || index === page.keys.length - 1 ? [{ key, count: index + 1 }] : [],
    );
    const pageLast = page.keys.at(-1) ?? first;
    return { first, bound, sampled, pageCount: page.keys.length, pageLast, exact: page.complete, folderNext: true };
  }

  /**
   * Finds how far the keys reach: a text above all of them that shares as much as possible with them. First how many
   * characters of the first key all keys share, by bisection; then the highest character that follows, by bisection.
   */
  async #findBound(first: string): Promise<string> {
    const points = pointsOf(first);
    let shared = commonLength(points, pointsOf(this.#options.prefix));
    let differs = points.length;
    let above: string | null = null;
    while (differs - shared > 1) {
      const length = (shared + differs) >>> 1;
      const key = await this.#keyAfter(textOf(points.slice(0, length)) + TOP);
      if (key === null) {
        shared = length;
      } else {
        differs = length;
        above = key;
      }
    }
    const beginning = textOf(points.slice(0, shared));
    let low = (above === null ? points : pointsOf(above))[shared] ?? 0x20;
    let high = (await this.#keyAfter(`${beginning}\u007f`)) === null ? 0x80 : 0x10_fffe;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const key = await this.#keyAfter(beginning + textOf([middle]) + TOP);
      if (key === null) high = middle;
      else low = Math.max(middle, pointsOf(key)[shared] ?? middle);
    }
    // Nothing lies above `high`, but its own keys, if any, were not seen: looking above a character skips what begins with it.
    const last = (await this.#keyAfter(beginning + textOf([low]) + TOP)) === null ? low : high;
    return beginning + textOf([last]) + TOP;
  }

  async #keyAfter(text: string): Promise<string | null> {
    const page = await this.#page(text, null, 1);
    return page.keys[0] ?? null;
  }

  async #page(startAfter: string | null, bound: string | null = null, maxKeys?: number): Promise<SeenPage> {
    const { bucket, prefix } = this.#options;
    this.#requests++;
    const size = maxKeys === undefined ? {} : { maxKeys };
    const page: ListPage = await this.#fetch({ bucket, prefix, startAfter, ...size });
    const keys = page.objects.flatMap((object) => (object.keyIsExact ? [object.key] : []));
    const kept = keys.filter((key) => this.#isInside(key, bound));
    for (const key of kept) this.#space.observe(key);
    return { keys: kept, complete: !page.truncated || kept.length < keys.length };
  }

  #isInside(key: string, bound: string | null): boolean {
    if (this.#endAt !== null && compareUtf8(key, this.#endAt) > 0) return false;
    return bound === null || compareUtf8(key, bound) < 0;
  }
}

/** Keys of a page that lie in the range; complete: there are no more. */
interface SeenPage {
  keys: string[];
  complete: boolean;
}

/**
 * End of the outermost folder that holds the whole page but not the whole part; null when there is none. Below it keys
 * are as dense as the page, beyond it nothing is known: without this cut a few folders among many possible names look
 * like millions of keys.
 */
function afterFolder(part: Part): string | null {
  const base = commonLength(pointsOf(part.pageLast), pointsOf(part.bound));
  const common = commonLength(pointsOf(part.first), pointsOf(part.pageLast));
  const points = pointsOf(part.pageLast).slice(0, common);
  const slash = points.indexOf(0x2f, base);
  return slash < 0 ? null : textOf(points.slice(0, slash + 1)) + TOP;
}

function distance(mark: { count: number } | undefined, target: number): number {
  return mark === undefined ? Number.POSITIVE_INFINITY : Math.abs(mark.count - target);
}
