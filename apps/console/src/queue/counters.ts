import type { CopyCounters } from '@weir/protocol';

/** Counters of work that has not begun. */
export const NO_COUNTERS: CopyCounters = {
  objectsListed: 0,
  objectsCopied: 0,
  objectsSkipped: 0,
  objectsExcluded: 0,
  objectsFailed: 0,
  bytesCopied: 0,
  parkedMs: 0,
  retries: 0,
};

/** Sum that stays at the largest exact integer. */
export function addExactly(x: number, y: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, x + y);
}

/** Sum of two sets of counters; a sum that would no longer be exact stays at the largest exact integer. */
export function addCounters(a: CopyCounters, b: CopyCounters): CopyCounters {
  return {
    objectsListed: addExactly(a.objectsListed, b.objectsListed),
    objectsCopied: addExactly(a.objectsCopied, b.objectsCopied),
    objectsSkipped: addExactly(a.objectsSkipped, b.objectsSkipped),
    objectsExcluded: addExactly(a.objectsExcluded, b.objectsExcluded),
    objectsFailed: addExactly(a.objectsFailed, b.objectsFailed),
    bytesCopied: addExactly(a.bytesCopied, b.bytesCopied),
    parkedMs: addExactly(a.parkedMs, b.parkedMs),
    retries: addExactly(a.retries, b.retries),
  };
}

/** The higher of two sets of counters, one by one. */
export function highestCounters(a: CopyCounters, b: CopyCounters): CopyCounters {
  return {
    objectsListed: Math.max(a.objectsListed, b.objectsListed),
    objectsCopied: Math.max(a.objectsCopied, b.objectsCopied),
    objectsSkipped: Math.max(a.objectsSkipped, b.objectsSkipped),
    objectsExcluded: Math.max(a.objectsExcluded, b.objectsExcluded),
    objectsFailed: Math.max(a.objectsFailed, b.objectsFailed),
    bytesCopied: Math.max(a.bytesCopied, b.bytesCopied),
    parkedMs: Math.max(a.parkedMs, b.parkedMs),
    retries: Math.max(a.retries, b.retries),
  };
}

/** Objects that are dealt with: copied, skipped, left out or failed. */
export function objectsDone(counters: CopyCounters): number {
  return counters.objectsCopied + counters.objectsSkipped + counters.objectsExcluded + counters.objectsFailed;
}
