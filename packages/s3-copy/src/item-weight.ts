import type { CopyItem, CopyPlan } from './copy-plan.ts';
import { md5OfEtag } from './etag.ts';
import { MAX_EARLY_BYTES } from './ordered-digest.ts';

/** Memory of one streamed transfer: what waits in the two sockets and between them. */
const STREAM_BYTES = 512 * 1024;

/** Memory that copying an object takes at most, in bytes. */
export function weightOf(plan: CopyPlan, item: CopyItem): number {
  const { bufferUpToBytes, multipartThresholdBytes, partBytes, partConcurrency, verifyWholeMd5 } = plan.tuning;
  if (plan.serverSideCopy && plan.learned.serverSideCopy) return 0;
  if (item.sizeBytes === null) return Math.max(bufferUpToBytes, STREAM_BYTES);
  if (item.sizeBytes <= bufferUpToBytes) return item.sizeBytes;
  if (item.sizeBytes < multipartThresholdBytes) return STREAM_BYTES;
  // Finished parts wait for their turn in the MD5 of the whole object.
  const earlyBytes = partBytes * partConcurrency;
  const waits = verifyWholeMd5 && earlyBytes <= MAX_EARLY_BYTES && md5OfEtag(item.etag ?? '') !== null;
  return STREAM_BYTES * partConcurrency + (waits ? earlyBytes : 0);
}
