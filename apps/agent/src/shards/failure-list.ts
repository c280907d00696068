import { MAX_FAILURES_PER_JOB, MAX_FAILURES_PER_REPORT, type CopyFailure } from '@weir/protocol';

/** Bytes of failures in one report: well below the console's limit on bodies, whatever the keys contain. */
const MAX_BATCH_BYTES = 600_000;

/**
 * Failures that the console has not been told of. It keeps no more than `MAX_FAILURES_PER_JOB`: beyond it they are
 * counted at the console, not listed, so keeping more here would only cost memory.
 */
export class FailureList {
  #waiting: CopyFailure[] = [];
  #dropped = 0;

  get size(): number {
    return this.#waiting.length;
  }

  /** Failures that were not kept. */
  get dropped(): number {
    return this.#dropped;
  }

  add(failure: CopyFailure): void {
    if (this.#waiting.length >= MAX_FAILURES_PER_JOB) this.#dropped++;
    else this.#waiting.push(fitted(failure));
  }

  /** The oldest failures, as many as one report carries; they stay until `delivered`. */
  batch(): CopyFailure[] {
    let bytes = 0;
    const batch: CopyFailure[] = [];
    for (const failure of this.#waiting.slice(0, MAX_FAILURES_PER_REPORT)) {
      bytes += Buffer.byteLength(JSON.stringify(failure));
      if (batch.length > 0 && bytes > MAX_BATCH_BYTES) break;
      batch.push(failure);
    }
    return batch;
  }

  /** Forgets the oldest `count` failures: the console has them, or will never take them. */
  delivered(count: number): void {
    this.#waiting = this.#waiting.slice(count);
  }
}

/** What servers say is unbounded; the wire is not. */
function fitted(failure: CopyFailure): CopyFailure {
  return {
    key: failure.key,
    code: failure.code.slice(0, 64) || 'unknown',
    message: failure.message.slice(0, 500),
    requestId: failure.requestId?.slice(0, 128) ?? null,
  };
}
