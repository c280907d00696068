/**
 * Bounds how much is under way: a number of objects and a number of bytes held for them. One that is larger than all
 * the bytes is admitted when nothing else is under way. First come, first served.
 */
export class InFlightLimit {
  readonly #maxObjects: number;
  readonly #maxBytes: number;
  #objects = 0;
  #bytes = 0;
  #waiting: { bytes: number; resolve: () => void } | null = null;
  #idle: (() => void)[] = [];

  constructor(maxObjects: number, maxBytes: number) {
    this.#maxObjects = Math.max(1, maxObjects);
    this.#maxBytes = maxBytes;
  }

  get objects(): number {
    return this.#objects;
  }

  /** Takes room for one object; only one caller may wait at a time. Undefined when there is room at once. */
  take(bytes: number): undefined | Promise<void> {
    if (this.#fits(bytes)) {
      this.enter(bytes);
      return undefined;
    }
    if (this.#waiting !== null) throw new Error('somebody is waiting already');
    return new Promise((resolve) => {
      this.#waiting = { bytes, resolve };
    });
  }

  /** Takes room at once, even beyond the limits: for a few objects that were under way before. */
  enter(bytes: number): void {
    this.#objects++;
    this.#bytes += bytes;
  }

  /** Gives the room of one object back. */
  give(bytes: number): void {
    this.#objects--;
    this.#bytes -= bytes;
    const waiting = this.#waiting;
    if (waiting !== null && this.#fits(waiting.bytes)) {
      this.#waiting = null;
      this.enter(waiting.bytes);
      waiting.resolve();
    }
    if (this.#objects === 0) {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.#objects === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  #fits(bytes: number): boolean {
    if (this.#objects === 0) return true;
    return this.#objects < this.#maxObjects && this.#bytes + bytes <= this.#maxBytes;
  }
}
