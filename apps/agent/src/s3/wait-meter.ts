import type { OperationGate } from '@weir/s3-copy';

/**
 * A gate that measures for how long something of one shard waited for credits: time, however many operations waited in it.
 */
export class WaitMeter implements OperationGate {
  readonly #gate: OperationGate;
  readonly #now: () => number;
  #waiting = 0;
  #sinceMs = 0;
  #waitedMs = 0;

  /** @param now monotonic clock, in ms */
  constructor(gate: OperationGate, now: () => number) {
    this.#gate = gate;
    this.#now = now;
  }

  charge(...operation: Parameters<OperationGate['charge']>): ReturnType<OperationGate['charge']> {
    const parked = this.#gate.charge(...operation);
    if (parked === undefined) return undefined;
    if (this.#waiting++ === 0) this.#sinceMs = this.#now();
    return parked.finally(() => {
      if (--this.#waiting === 0) this.#waitedMs += this.#now() - this.#sinceMs;
    });
  }

  /** Time in which at least one operation waited, in ms, until now. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waiting > 0 ? this.#now() - this.#sinceMs : 0);
  }
}
