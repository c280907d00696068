import type { CopyItem, CopyOutcome } from './copy-plan.ts';
import { bareEtag } from './etag.ts';
import type { ManifestEntry } from './manifest.ts';

/** The entry of an object that was copied, or that the target had already. */
export function entryOf(item: CopyItem, outcome: CopyOutcome): ManifestEntry {
  if (outcome.type === 'skipped') return entryOfSkipped(item, outcome.etag);
  const { bytes: sizeBytes, verified } = outcome;
  return { key: item.key, sizeBytes, etag: bareEtag(outcome.etag), verified, action: 'copied' };
}

/** The entry of an object that was left alone. @param etag that of the target; empty when nobody asked */
function entryOfSkipped({ key, sizeBytes }: CopyItem, etag = ''): ManifestEntry {
  return { key, sizeBytes, etag: bareEtag(etag), verified: 'none', action: 'skipped' };
}

/** The entry of an object that the listings have decided on; null when it has none. */
export function entryOfDecided(item: CopyItem): ManifestEntry | null {
  if (item.verdict === 'skip') return entryOfSkipped(item);
  if (item.verdict !== 'copied') return null;
  const { key, sizeBytes, etag } = item;
  return { key, sizeBytes, etag: bareEtag(etag ?? ''), verified: 'md5', action: 'copied' };
}

/** The entry of an object that could not be copied. */
export function entryOfFailed({ key, sizeBytes }: CopyItem): ManifestEntry {
  return { key, sizeBytes, etag: '', verified: 'none', action: 'failed' };
}
