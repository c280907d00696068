/** Time that passes only when a test says so; everything due in between runs in order, with its promises settled. */
export class SimulatedTime {
  #nowMs = 0;
  #sequence = 0;
  readonly #timers = new Set<{ atMs: number; sequence: number; run: () => void }>();

  readonly now = (): number => this.#nowMs;

  readonly startTimer = (run: () => void, delayMs: number): (() => void) => {
    const timer = { atMs: this.#nowMs + delayMs, sequence: this.#sequence++, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  get timers(): number {
    return this.#timers.size;
  }

  /** Lets promises that can settle do so. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await this.settle();
    for (;;) {
      const due = [...this.#timers].sort((a, b) => a.atMs - b.atMs || a.sequence - b.sequence)[0];
      if (due === undefined || due.atMs > untilMs) break;
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.run();
      await this.settle();
    }
    this.#nowMs = untilMs;
  }
}
