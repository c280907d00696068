import { StorageUnavailable } from '../../ports/storage-unavailable.ts';

/** Transactions that wait at most: more means that the database cannot follow, and waiting would only make it worse. */
const MAX_WAITING = 5_000;

/** Runs work in the order in which it came, each when the one before it has ended, well or not. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @throws StorageUnavailable when too many wait */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) {
      throw new StorageUnavailable(`The database cannot follow: ${MAX_WAITING} changes wait for it.`);
    }
    this.#waiting += 1;
    const before = this.#last;
    const own = (async () => {
      await before;
      return work();
    })();
    this.#last = own.then(ignore, ignore);
    try {
      return await own;
    } finally {
      this.#waiting -= 1;
    }
  }
}

function ignore(): void {
  // Whoever asked for the work learns how it ended.
}
