import { admit } from './gate.ts';
import type { CallContext, S3Operation } from './gate.ts';

/**
 * A place at the gate for one request that is sent a little later, after the one that brings its body. Attempts that
 * fail before it is sent keep the place, so that the gate hears of each request once and no more.
 */
export class Admission {
  readonly #call: CallContext;
  readonly #operation: S3Operation;
  #held = false;

  constructor(call: CallContext, operation: S3Operation) {
    this.#call = call;
    this.#operation = operation;
  }

  /** Waits at the gate unless a place is held already. */
  take(attempt: number): undefined | Promise<void> {
    if (this.#held) return undefined;
    const parked = admit(this.#call, this.#operation, attempt);
    if (parked === undefined) {
      this.#held = true;
      return undefined;
    }
    return parked.then(() => {
      this.#held = true;
    });
  }

  /** Uses the place up: the request is sent now. */
  spend(): { admitted: boolean } {
    const admitted = this.#held;
    this.#held = false;
    return { admitted };
  }
}
