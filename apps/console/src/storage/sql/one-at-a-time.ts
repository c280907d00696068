import type { Timer } from '../../ports/clock.ts';
import { StorageUnavailable } from '../../ports/storage-unavailable.ts';

/** How many wait at most: more means that the database cannot follow, and waiting would only make it worse. */
const MAX_WAITING = 5_000;

/** For how long one waits at most, in ms: longer means that its disk stands still, and whoever asked has given up. */
const MAX_WAIT_MS = 30_000;

interface Waiting {
  begin(): void;
  readonly timer: Timer;
}

/** A turn that passes from one to the next in the order in which they came; what is urgent passes the rest. */
export class OneAtATime {
  readonly #after: (delayMs: number, run: () => void) => Timer;
  readonly #urgent = new Set<Waiting>();
  readonly #others = new Set<Waiting>();
  #busy = false;

  /** @param after runs something later; default: a timer of this process */
  constructor(after: (delayMs: number, run: () => void) => Timer = timerOfProcess) {
    this.#after = after;
  }

  /** Runs work when all before it has ended, well or not. @throws StorageUnavailable when too many wait, or too long */
  async run<T>(work: () => Promise<T>, urgent = false): Promise<T> {
    await this.take(urgent);
    try {
      return await work();
    } finally {
      this.pass();
    }
  }

  /** Waits for the turn, which must be passed on. @throws StorageUnavailable when too many wait, or too long */
  async take(urgent = false): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    if (this.#urgent.size + this.#others.size >= MAX_WAITING) {
      throw new StorageUnavailable(`The database cannot follow: ${MAX_WAITING} changes wait for it.`);
    }
    const line = urgent ? this.#urgent : this.#others;
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        line.delete(waiting);
        reject(new StorageUnavailable(`The database did not answer for ${MAX_WAIT_MS / 1_000} s: look at its disk.`));
      };
      const waiting: Waiting = { begin: resolve, timer: this.#after(MAX_WAIT_MS, giveUp) };
      line.add(waiting);
    });
  }

  /** Ends the turn; it goes on without a gap into which somebody else could step. */
  pass(): void {
    for (const line of [this.#urgent, this.#others]) {
      for (const next of line) {
        line.delete(next);
        next.timer.cancel();
        next.begin();
        return;
      }
    }
    this.#busy = false;
  }
}

function timerOfProcess(delayMs: number, run: () => void): Timer {
  const timer = setTimeout(run, delayMs);
  return { cancel: () => clearTimeout(timer) };
}
