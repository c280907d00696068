/** A `Date` header has a resolution of one second, and it was written somewhere between request and answer. */
const RESOLUTION_MS = 2_000;

/**
 * The console's clock as seen from this page: ages and countdowns use it, so that a viewer whose clock is wrong still
 * reads "12 s ago" and a holdoff that ends when it ends.
 */
export class ConsoleClock {
  readonly #now: () => number;
  #offsetMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param dateHeader value of `Date` in an answer that has just arrived; anything unreadable is ignored */
  readonly observe = (dateHeader: string | null): void => {
    const consoleMs = Date.parse(dateHeader ?? '');
    if (Number.isNaN(consoleMs)) return;
    const offset = consoleMs + 500 - this.#now();
    this.#offsetMs = Math.abs(offset) < RESOLUTION_MS ? 0 : offset;
  };

  /** A moment of this browser's clock as the console's clock shows it. */
  readonly fromLocal = (localMs: number): number => localMs + this.#offsetMs;

  /** Now at the console, in ms since 1970. */
  readonly now = (): number => this.#now() + this.#offsetMs;
}
