import { MAX_PLANNED_PER_JOB, MAX_PLANNED_PER_REPORT, type PlannedObject } from '@weir/protocol';

/** Bytes of the sample in one report: failures travel with it, and the console's limit on bodies covers both. */
const MAX_BATCH_BYTES = 200_000;

/** First objects that a dry run met, for the reports. The counters tell of all; more than a sample is not kept. */
export class PlannedSample {
  #waiting: PlannedObject[] = [];
  #taken = 0;

  add(object: PlannedObject): void {
    if (this.#taken >= MAX_PLANNED_PER_JOB) return;
    this.#taken++;
    this.#waiting.push(object);
  }

  /** The oldest ones, as many as one report carries; they stay until `delivered`. */
  batch(): PlannedObject[] {
    const batch: PlannedObject[] = [];
    let bytes = 0;
    for (const object of this.#waiting.slice(0, MAX_PLANNED_PER_REPORT)) {
      bytes += Buffer.byteLength(JSON.stringify(object));
      if (bytes > MAX_BATCH_BYTES) break;
      batch.push(object);
    }
    return batch;
  }

  /** Forgets the oldest `count`: the console has them. */
  delivered(count: number): void {
    this.#waiting = this.#waiting.slice(count);
  }
}
