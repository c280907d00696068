import type { CopyCounters } from '@weir/protocol';

/** Counters of work that has not begun. */
export const NO_COUNTERS: CopyCounters = {
  objectsListed: 0,
  objectsCopied: 0,
  objectsSkipped: 0,
  objectsFailed: 0,
  bytesCopied: 0,
  parkedMs: 0,
  retries: 0,
};

function add(x: number, y: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, x + y);
}

/** Sum of two sets of counters; a sum that would no longer be exact stays at the largest exact integer. */
export function addCounters(a: CopyCounters, b: CopyCounters): CopyCounters {
  return {
    objectsListed: add(a.objectsListed, b.objectsListed),
    objectsCopied: add(a.objectsCopied, b.objectsCopied),
    objectsSkipped: add(a.objectsSkipped, b.objectsSkipped),
    objectsFailed: add(a.objectsFailed, b.objectsFailed),
    bytesCopied: add(a.bytesCopied, b.bytesCopied),
    parkedMs: add(a.parkedMs, b.parkedMs),
    retries: add(a.retries, b.retries),
  };
}

/** Objects that are dealt with: copied, skipped or failed. */
export function objectsDone(counters: CopyCounters): number {
  return counters.objectsCopied + counters.objectsSkipped + counters.objectsFailed;
}
