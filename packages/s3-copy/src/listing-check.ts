import { targetKeyOf } from './copy-plan.ts';
import type { CopyPlan } from './copy-plan.ts';
import type { WorkItem } from './copy-run-options.ts';
import { md5OfEtag } from './etag.ts';
import type { KeyRange, ListOptions, PageFetcher } from './list.ts';
import type { ListedObject } from './operations/list-objects.ts';
import { isSameContent, isSkipped } from './skip-check.ts';
import { TargetListing } from './target-listing.ts';
import type { Found } from './target-listing.ts';

/** What a check by listing compares. */
export interface ListingCheckOptions {
  plan: CopyPlan;
  /** Range of source keys that the pages come from. */
  range: KeyRange;
  pageSize?: number;
  listings?: number;
  /** Mode `copy-all`: what was written since then, in ms since 1970, may be the work of an earlier run. */
  copiedSinceMs?: number;
}

/** Longest `start-after` that servers take, in bytes. */
const MAX_KEY_BYTES = 1_024;

/**
 * Decides for each object of a listing whether it is copied, by a listing of the target that goes in step with it: one
 * prefix for another changes no order. Both listings are read once, and one request tells about 1,000 objects; what the
 * target's listing would tell only at the price of many requests is left to a HEAD.
 * Objects that are copied meanwhile lie behind both listings, so what this run writes is never compared.
 * @param fetch lists the target.
 */
export async function* checkByListing(
  pages: AsyncIterable<readonly WorkItem[]>,
  fetch: PageFetcher,
  options: ListingCheckOptions,
): AsyncGenerator<readonly WorkItem[], void> {
  const listing = new TargetListing(fetch, listOptions(options));
  const { copiedSinceMs } = options;
  // Many servers tell whole seconds.
  const sinceMs = copiedSinceMs === undefined ? null : Math.floor(copiedSinceMs / 1_000) * 1_000;
  try {
    for await (const page of pages) {
      let start = 0;
      for (const [index, item] of page.entries()) {
        const key = item.verdict === undefined && item.keyIsExact ? targetKeyOf(options.plan, item.key) : null;
        // Left out already, or without a name at the target: copying says which.
        if (key === null) continue;
        if (!listing.knows(key)) {
          if (index > start) yield page.slice(start, index);
          start = index;
          await listing.readTo(key);
        }
        decide(options.plan, item, listing.find(key), sinceMs);
      }
      yield start === 0 ? page : page.slice(start);
    }
  } finally {
    await listing.close();
  }
}

function decide({ mode, tuning }: CopyPlan, item: WorkItem, found: Found, copiedSinceMs: number | null): void {
  if (found === 'unknown') return;
  if (mode === 'copy-all') {
    const isOurs = found !== 'absent' && copiedSinceMs !== null && found.lastModifiedMs >= copiedSinceMs;
    if (!isOurs || !tuning.verifyEtags || !isSameContent(comparable(item), comparable(found))) return;
    // One request writes a plain object with headers and tags; of one in parts the tags may have come too late.
    item.verdict = md5OfEtag(found.etag) === null ? 'perhaps-copied' : 'copied';
    return;
  }
  const skipped = found !== 'absent' && isSkipped(mode, comparable(item), comparable(found), tuning.verifyEtags);
  item.verdict = skipped ? 'skip' : 'copy';
}

/** Listings have 0 where the server gives no date. */
function comparable(object: WorkItem | ListedObject): Parameters<typeof isSkipped>[1] {
  const { sizeBytes, etag, lastModifiedMs } = object;
  return { sizeBytes, etag: etag ?? '', lastModifiedMs: lastModifiedMs === 0 ? null : lastModifiedMs };
}

function listOptions(options: ListingCheckOptions): ListOptions {
  const { plan, range, pageSize, listings } = options;
  const { source, target } = plan;
  const mapped = (key: string | null): string | null =>
    key?.startsWith(source.prefix) === true ? target.prefix + key.slice(source.prefix.length) : null;
  const start = mapped(range.startAfter);
  return {
    bucket: target.bucket,
    prefix: target.prefix,
    range: { startAfter: start === null ? null : shortened(start), endAt: mapped(range.endAt) },
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(listings === undefined ? {} : { listings }),
  };
}

/** A text that no server refuses for its length, and that is not behind the given one. */
function shortened(key: string): string {
  let bytes = 0;
  let end = 0;
  for (const character of key) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_KEY_BYTES) break;
    end += character.length;
  }
  return key.slice(0, end);
}
