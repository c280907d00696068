import type { WindowRecord } from '@weir/protocol';

/** Finished windows that wait to be written at most: what the database cannot take must not become a full memory. */
const MOST = 100_000;
/** Dropped at once when there are more: an array is not cheap to shorten at its beginning. */
const DROPPED_AT_ONCE = 1_000;

/**
 * Finished windows that are not written yet, in order. While the database is slow or refuses they come faster than they go; of
 * more than 100,000 the oldest are dropped, which costs a gap in the history.
 */
export class UnwrittenWindows {
  #records: WindowRecord[] = [];

  add(record: WindowRecord): void {
    this.#records.push(record);
    if (this.#records.length > MOST) this.#records.splice(0, DROPPED_AT_ONCE);
  }

  /** Hands out what to write, at most so many, those that waited longest. */
  take(most: number): WindowRecord[] {
    return this.#records.splice(0, most);
  }

  /** What was taken could not be written: the first of the next time. */
  again(records: readonly WindowRecord[]): void {
    this.#records = [...records, ...this.#records].slice(-MOST);
  }

  get size(): number {
    return this.#records.length;
  }
}
