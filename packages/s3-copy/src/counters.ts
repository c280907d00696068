/** Progress of a range; the fields of `copyCounters` in the protocol. */
export interface CopyCounters {
  objectsListed: number;
  objectsCopied: number;
  objectsSkipped: number;
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
  counters.objectsFailed += more.objectsFailed;
  counters.bytesCopied += more.bytesCopied;
  counters.parkedMs += more.parkedMs;
  counters.retries += more.retries;
}
