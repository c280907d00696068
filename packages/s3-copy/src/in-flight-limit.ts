/**
 * Bounds how much is under way: a number of objects, which may change, and a number of bytes held for them. One that is larger than all
 * the bytes is admitted when nothing else is under way. First come, first served.
 */
export class InFlightLimit {
  readonly #maxObjects: { readonly value: number };
  readonly #maxBytes: number;
  #objects = 0;
  #bytes = 0;
  #waiting: { bytes: number; resolve: () => void } | null = null;
  #idle: (() => void)[] = [];

  /** @param maxObjects looked at each time that an object wants to begin; whatever it says, one may be under way. */
  constructor(maxObjects: { readonly value: number }, maxBytes: number) {
    this.#maxObjects = maxObjects;
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
    this.admitWaiting();
    if (this.#objects === 0) {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Lets in who waits, if there is room now: call it after the number of objects was raised. */
  admitWaiting(): void {
    const waiting = this.#waiting;
    if (waiting === null || !this.#fits(waiting.bytes)) return;
    this.#waiting = null;
    this.enter(waiting.bytes);
    waiting.resolve();
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
    return this.#objects < this.#maxObjects.value && this.#bytes + bytes <= this.#maxBytes;
  }
}
