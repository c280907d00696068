import type { CopyItem } from './copy-plan.ts';

/** Progress of a range; the fields of `copyCounters` in the protocol, and those excluded. */
export interface CopyCounters {
  objectsListed: number;
  objectsCopied: number;
  objectsSkipped: number;
  /** Listed, but left out by the filter. */
  objectsExcluded: number;
  objectsFailed: number;
  /** Size of the objects copied, in bytes; a retried transfer counts once. */
  bytesCopied: number;
  /** Time that operations spent parked for credits, summed over operations, in ms. */
  parkedMs: number;
  /** Attempts beyond the first. */
  retries: number;
}

/** Counters that have counted nothing yet. */
export function emptyCounters(): CopyCounters {
  return {
    objectsListed: 0,
    objectsCopied: 0,
    objectsSkipped: 0,
    objectsExcluded: 0,
    objectsFailed: 0,
    bytesCopied: 0,
    parkedMs: 0,
    retries: 0,
  };
}

/** Adds `more` to `counters`. */
export function addCounters(counters: CopyCounters, more: CopyCounters): void {
  counters.objectsListed += more.objectsListed;
  counters.objectsCopied += more.objectsCopied;
  counters.objectsSkipped += more.objectsSkipped;
  counters.objectsExcluded += more.objectsExcluded;
  counters.objectsFailed += more.objectsFailed;
  counters.bytesCopied += more.bytesCopied;
  counters.parkedMs += more.parkedMs;
  counters.retries += more.retries;
}

/** What an object counts on which nothing is left to do, because the listings have told; null for all others. */
export function countersWhenDecided({ verdict, sizeBytes }: CopyItem, dryRun: boolean): CopyCounters | null {
  switch (verdict) {
    case 'skip':
      return { ...emptyCounters(), objectsSkipped: 1 };
    case 'exclude':
      return { ...emptyCounters(), objectsExcluded: 1 };
    case 'copied':
      return { ...emptyCounters(), objectsCopied: 1, bytesCopied: sizeBytes ?? 0 };
    case 'perhaps-copied':
      return null;
    case 'copy':
      return dryRun ? { ...emptyCounters(), objectsCopied: 1, bytesCopied: sizeBytes ?? 0 } : null;
    case undefined:
      return null;
    default:
      return verdict satisfies never;
  }
}
