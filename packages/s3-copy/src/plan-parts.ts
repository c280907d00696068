/** S3 takes at most this many parts per object. */
export const MAX_PARTS = 10_000;
/** Parts that must grow do so in steps of this, in bytes. */
const PART_STEP_BYTES = 1024 * 1024;

/** One part: its number from 1 and its first and last byte. */
export interface PartRange {
  partNumber: number;
  first: number;
  last: number;
}

/** Size of the parts of an object: the wanted one, or more where it would take over 10,000 of them. */
export function partSizeFor(sizeBytes: number, wantedBytes: number): number {
  if (sizeBytes <= wantedBytes * MAX_PARTS) return wantedBytes;
  return Math.ceil(sizeBytes / MAX_PARTS / PART_STEP_BYTES) * PART_STEP_BYTES;
}

/** Cuts an object of at least one byte into parts of about the wanted size that cover it without gap or overlap. */
export function planParts(sizeBytes: number, wantedBytes: number): PartRange[] {
  return partsOf(sizeBytes, partSizeFor(sizeBytes, wantedBytes));
}

/** Cuts an object into parts of exactly this size; the last one may be smaller. */
export function partsOf(sizeBytes: number, partBytes: number): PartRange[] {
  const count = Math.ceil(sizeBytes / partBytes);
  return Array.from({ length: count }, (_, index) => ({
    partNumber: index + 1,
    first: index * partBytes,
    last: Math.min(sizeBytes, (index + 1) * partBytes) - 1,
  }));
}
