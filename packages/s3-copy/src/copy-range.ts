import type { S3Client } from './client.ts';
import { compileFilter } from './copy-filter.ts';
import type { CopyFilter, FilteredObject } from './copy-filter.ts';
import { newCopyPlan } from './copy-plan.ts';
import { CopyRun } from './copy-run.ts';
import type { CopyRunOptions, WorkItem } from './copy-run-options.ts';
import { listPages, pageFetcher } from './list.ts';
import type { KeyRange, PageFetcher } from './list.ts';
import { checkByListing } from './listing-check.ts';

/** Where a run looks for what the target has. */
export type CheckBy = 'listing' | 'head';

/** Copies a part of a listing. */
export interface CopyRangeOptions extends CopyRunOptions {
  /** Default: everything below the source's prefix. */
  range?: KeyRange;
  /** Last key that an earlier run finished in order: continue after it. */
  checkpoint?: string | null;
  /** Objects of the listing that are left out. Default: none. */
  filter?: CopyFilter;
  /**
   * How the modes `target-skip` and `incremental` look at the target. `head`: one HEAD for each object. `listing`: the
   * target is listed in step with the source, one request for 1,000 of its objects. Default `head`.
   */
  checkBy?: CheckBy;
  /** Keys per page of the listing: 1–1,000. Default: the server's, 1,000. */
  pageSize?: number;
  /**
   * Listing requests under way at once, those to the target included: 1–64. More than one for a side are used only while
   * copying waits for the listing. Default 4.
   */
  listings?: number;
}

const DEFAULT_LISTINGS = 4;

/** Starts to list and to copy; ends by itself, see `CopyRun`. */
export function copyRange(options: CopyRangeOptions): CopyRun {
  const { source, filter, pageSize } = options;
  const range = options.range ?? { startAfter: null, endAt: null };
  const checkpoint = options.checkpoint ?? null;
  const toDo = { startAfter: checkpoint ?? range.startAfter, endAt: range.endAt };
  const { copiedSinceMs } = options;
  const looksForCopies = options.mode === 'copy-all' && copiedSinceMs !== undefined && options.dryRun !== true;
  const checksByListing = looksForCopies || (options.checkBy === 'listing' && options.mode !== 'copy-all');
  const listings = (options.listings ?? DEFAULT_LISTINGS) / (checksByListing ? 2 : 1);
  const listing = { listings: Math.ceil(listings), ...(pageSize === undefined ? {} : { pageSize }) };
  return new CopyRun(options, checkpoint, (call, absorb) => {
    const fetchWith = (client: S3Client): PageFetcher => {
      const fetch = pageFetcher(client, call);
      return (request) => absorb(() => fetch(request));
    };
    // An object of the listing has all that an item needs.
    let pages: AsyncIterable<readonly WorkItem[]> = listPages(fetchWith(source.client), {
      bucket: source.bucket,
      prefix: source.prefix,
      range: toDo,
      ...listing,
    });
    if (filter !== undefined) pages = filtered(pages, compileFilter(filter, source.prefix));
    if (!checksByListing) return pages;
    return checkByListing(pages, fetchWith(options.target.client), {
      plan: newCopyPlan(options),
      range: toDo,
      ...listing,
      ...(copiedSinceMs === undefined ? {} : { copiedSinceMs }),
    });
  });
}

/** Marks what the filter leaves out: it still counts as listed, and the checkpoint moves over it. */
async function* filtered(
  pages: AsyncIterable<readonly WorkItem[]>,
  passes: (object: FilteredObject) => boolean,
): AsyncGenerator<readonly WorkItem[], void> {
  for await (const page of pages) {
    for (const item of page) {
      const { key, sizeBytes, lastModifiedMs } = item;
      if (!passes({ key, sizeBytes: sizeBytes ?? 0, lastModifiedMs: lastModifiedMs ?? 0 })) item.verdict = 'exclude';
    }
    yield page;
  }
}

/** Copies listed keys, as for a retry. */
export interface CopyKeysOptions extends CopyRunOptions {
  /** Keys in the order that they are reported in. */
  keys: readonly string[];
  /** Last of these keys that an earlier run finished in order: continue after it. */
  checkpoint?: string | null;
}

/** Starts to copy; each object is asked for its size first. */
export function copyKeys(options: CopyKeysOptions): CopyRun {
  const checkpoint = options.checkpoint ?? null;
  const done = checkpoint === null ? 0 : options.keys.indexOf(checkpoint) + 1;
  const items = options.keys
    .slice(done)
    .map((key): WorkItem => ({ key, keyIsExact: true, sizeBytes: null, etag: null, lastModifiedMs: null }));
  return new CopyRun(options, checkpoint, async function* () {
    yield items;
  });
}
