import { StorageUnavailable } from '../../ports/storage-unavailable.ts';

/** How many wait at most: more means that the database cannot follow, and waiting would only make it worse. */
const MAX_WAITING = 5_000;

/** A turn that passes from one to the next in the order in which they came; what is urgent passes the rest. */
export class OneAtATime {
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #busy = false;

  /** Runs work when all before it has ended, well or not. @throws StorageUnavailable when too many wait */
  async run<T>(work: () => Promise<T>, urgent = false): Promise<T> {
    await this.take(urgent);
    try {
      return await work();
    } finally {
      this.pass();
    }
  }

  /** Waits for the turn, which must be passed on. @throws StorageUnavailable when too many wait */
  async take(urgent = false): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    if (this.#urgent.length + this.#others.length >= MAX_WAITING) {
      throw new StorageUnavailable(`The database cannot follow: ${MAX_WAITING} changes wait for it.`);
    }
    await new Promise<void>((resolve) => (urgent ? this.#urgent : this.#others).push(resolve));
  }

  /** Ends the turn; it goes on without a gap into which somebody else could step. */
  pass(): void {
    const next = this.#urgent.shift() ?? this.#others.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }
}
