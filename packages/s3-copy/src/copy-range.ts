import { CopyRun } from './copy-run.ts';
import type { CopyFilter } from './copy-filter.ts';
import type { CopyRunOptions, WorkItem } from './copy-run-options.ts';
import { listPages, pageFetcher } from './list.ts';
import type { KeyRange } from './list.ts';

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
}

/** Starts to list and to copy; ends by itself, see `CopyRun`. */
export function copyRange(options: CopyRangeOptions): CopyRun {
  const { bucket, prefix, client } = options.source;
  const range = options.range ?? { startAfter: null, endAt: null };
  const checkpoint = options.checkpoint ?? null;
  return new CopyRun(options, checkpoint, async function* (call, absorb) {
    const fetch = pageFetcher(client, call);
    const pages = listPages((request) => absorb(() => fetch(request)), {
      bucket,
      prefix,
      range: { startAfter: checkpoint ?? range.startAfter, endAt: range.endAt },
      ...(options.pageSize === undefined ? {} : { pageSize: options.pageSize }),
    });
    // An object of the listing has all that an item needs.
    yield* pages;
  });
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
