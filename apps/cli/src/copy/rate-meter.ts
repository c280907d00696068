/** Figures at one moment of a copy. */
export interface Reading {
  readonly atMs: number;
  /** Objects that need nothing more: copied, skipped, failed, left out. */
  readonly objectsDone: number;
  readonly bytes: number;
  readonly chargedOps: number;
}

export interface Rates {
  readonly objectsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly tps: number;
}

/** Rates are over this time, in ms: short enough to follow a change, long enough not to jump. */
const SPAN_MS = 10_000;
/** Time between two readings that are kept, in ms. */
const STEP_MS = 250;
/** No ETA before so much of the work is done, or before so long: it would be a guess. */
const ETA_FROM_SHARE = 0.01;
const ETA_FROM_MS = 3_000;

/** Rates over the last ten seconds, out of readings. */
export class RateMeter {
  #readings: Reading[] = [];
  #first: Reading | null = null;

  add(reading: Reading): void {
    this.#first ??= reading;
    const last = this.#readings.at(-1);
    const before = this.#readings.at(-2);
    // The newest one only stays when it is far enough from the one before.
    if (last !== undefined && before !== undefined && last.atMs - before.atMs < STEP_MS) this.#readings.pop();
    this.#readings.push(reading);
    const from = reading.atMs - SPAN_MS;
    while ((this.#readings[1]?.atMs ?? Number.POSITIVE_INFINITY) <= from) this.#readings.shift();
  }

  rates(): Rates {
    const from = this.#readings[0];
    const to = this.#readings.at(-1);
    const seconds = from === undefined || to === undefined ? 0 : (to.atMs - from.atMs) / 1_000;
    if (from === undefined || to === undefined || seconds <= 0) {
      return { objectsPerSecond: 0, bytesPerSecond: 0, tps: 0 };
    }
    return {
      // After trouble a run goes back to its checkpoint.
      objectsPerSecond: Math.max(0, to.objectsDone - from.objectsDone) / seconds,
      bytesPerSecond: Math.max(0, to.bytes - from.bytes) / seconds,
      tps: Math.max(0, to.chargedOps - from.chargedOps) / seconds,
    };
  }

  /**
   * Time left in ms, by the mean of the whole run: the last seconds swing with the size of objects, and so would it. Null
   * while it would be a guess.
   * @param shareDone of the whole work, 0–1; null when the whole is not known yet
   * @param shareAtStart what earlier runs had done of it
   */
  etaMs(shareDone: number | null, shareAtStart: number): number | null {
    const first = this.#first;
    const last = this.#readings.at(-1);
    if (shareDone === null || first === undefined || first === null || last === undefined) return null;
    const tookMs = last.atMs - first.atMs;
    const done = shareDone - shareAtStart;
    if (done < ETA_FROM_SHARE || tookMs < ETA_FROM_MS) return null;
    return (tookMs / done) * Math.max(0, 1 - shareDone);
  }
}
