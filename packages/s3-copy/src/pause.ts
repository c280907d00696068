import type { Cancellation } from './cancellation.ts';
import type { OperationGate } from './gate.ts';

/** Holds everything that has not been sent yet, until it is resumed. */
export class Pause {
  #waiting: (() => void)[] | null = null;

  get paused(): boolean {
    return this.#waiting !== null;
  }

  /** Returns false when it was paused already. */
  pause(): boolean {
    if (this.#waiting !== null) return false;
    this.#waiting = [];
    return true;
  }

  resume(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const wake of waiting) wake();
  }

  /** Undefined when not paused; else resolves when resumed and rejects when cancelled. */
  ready(cancellation: Cancellation): undefined | Promise<void> {
    if (this.#waiting === null) return undefined;
    return this.#wait(cancellation);
  }

  async #wait(cancellation: Cancellation): Promise<void> {
    // Resumed and paused again before this continues: wait again.
    while (this.#waiting !== null) {
      const waiting = this.#waiting;
      await new Promise<void>((resolve, reject) => {
        const forget = cancellation.onCancel(reject);
        waiting.push(() => {
          forget();
          resolve();
        });
      });
    }
  }

  /**
   * A gate that lets nothing through while paused, retries included; the time of the pause is not counted as parked.
   * Once cancelled it lets nothing through at all, and whoever waits in it fails at once.
   */
  gateOver(gate: OperationGate, cancellation: Cancellation): OperationGate {
    return {
      charge: (operation, attempt) => {
        cancellation.throwIfCancelled();
        const held = this.ready(cancellation);
        if (held === undefined) return gate.charge(operation, attempt, cancellation.signal);
        return held.then(() => gate.charge(operation, attempt, cancellation.signal) ?? 0);
      },
    };
  }
}
