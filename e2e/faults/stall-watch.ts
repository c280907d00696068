const LOOK_MS = 50;

/** How long this process did not get to run: where a machine is overloaded, every deadline of everybody is late by that. */
export class StallWatch {
  #lastMs = performance.now();
  #longestMs = 0;
  readonly #timer: NodeJS.Timeout = setInterval(() => this.#look(), LOOK_MS);

  constructor() {
    this.#timer.unref();
  }

  /** Since the last reset, in ms. */
  get longestMs(): number {
    return this.#longestMs;
  }

  reset(): void {
    this.#lastMs = performance.now();
    this.#longestMs = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs - LOOK_MS);
    this.#lastMs = nowMs;
  }
}
