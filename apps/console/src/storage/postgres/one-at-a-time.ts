import { StorageUnavailable } from '../../ports/storage-unavailable.ts';

/** Transactions that wait at most: more means that the database cannot follow, and waiting would only make it worse. */
const MAX_WAITING = 5_000;

/** Runs work in the order in which it came, each when the one before it has ended, well or not; what is urgent passes the rest. */
export class OneAtATime {
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #busy = false;

  /** @throws StorageUnavailable when too many wait */
  async run<T>(work: () => Promise<T>, urgent = false): Promise<T> {
    if (this.#busy) await this.#turn(urgent ? this.#urgent : this.#others);
    this.#busy = true;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#others.shift();
      // The turn passes on without a gap into which somebody else could step.
      if (next === undefined) this.#busy = false;
      else next();
    }
  }

  async #turn(line: (() => void)[]): Promise<void> {
    if (this.#urgent.length + this.#others.length >= MAX_WAITING) {
      throw new StorageUnavailable(`The database cannot follow: ${MAX_WAITING} changes wait for it.`);
    }
    await new Promise<void>((resolve) => line.push(resolve));
  }
}
