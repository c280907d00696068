import type { CopyItem, CopyPlan } from './copy-plan.ts';

/** Memory of one streamed transfer: what waits in the two sockets and between them. */
const STREAM_BYTES = 512 * 1024;

/** Memory that copying an object takes at most, in bytes. */
export function weightOf(plan: CopyPlan, item: CopyItem): number {
  const { bufferUpToBytes, multipartThresholdBytes, partConcurrency } = plan.tuning;
  if (item.sizeBytes === null) return Math.max(bufferUpToBytes, STREAM_BYTES);
  if (item.sizeBytes <= bufferUpToBytes) return item.sizeBytes;
  return item.sizeBytes < multipartThresholdBytes ? STREAM_BYTES : STREAM_BYTES * partConcurrency;
}
