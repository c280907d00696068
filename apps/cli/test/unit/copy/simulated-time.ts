/** Time that passes only when a test says so. */
export class SimulatedTime {
  #nowMs = 0;
  readonly #timers: { atMs: number; run: () => void }[] = [];

  readonly now = (): number => this.#nowMs;

  readonly startTimer = (run: () => void, ms: number): (() => void) => {
    const timer = { atMs: this.#nowMs + ms, run };
    this.#timers.push(timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index !== -1) this.#timers.splice(index, 1);
    };
  };

  get timers(): number {
    return this.#timers.length;
  }

  /** @param lateMs how late each timer is, as on a busy machine */
  async advance(ms: number, lateMs = 0): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      this.#timers.sort((a, b) => a.atMs - b.atMs);
      const due = this.#timers[0];
      if (due === undefined || due.atMs + lateMs > untilMs) break;
      this.#timers.shift();
      this.#nowMs = Math.max(this.#nowMs, due.atMs + lateMs);
      due.run();
      // What the timer admitted runs before the next one.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#nowMs = untilMs;
  }
}
