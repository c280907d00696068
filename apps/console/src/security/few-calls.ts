const PERIOD_MS = 60_000;

/**
 * Calls of each subject in the present minute, while they are few: one small number for each, where a counter of the quota engine
 * takes a kilobyte. A large fleet is made of agents that call a few times a minute.
 */
export class FewCalls {
  readonly #few: number;
  readonly #nowMs: () => number;
  #calls = new Map<string, number>();
  #minute = 0;

  /**
   * @param few calls of a subject in a minute that are not passed on, ≥ 0.
   * @param nowMs the clock by which the engine tells its minutes.
   */
  constructor(few: number, nowMs: () => number) {
    this.#few = few;
    this.#nowMs = nowMs;
  }

  /** Counts a call. @returns how many calls the engine is to be told of now; 0: none, because they are few. */
  add(subject: string): number {
    const minute = Math.floor(this.#nowMs() / PERIOD_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#calls = new Map();
    }
    const before = this.#calls.get(subject) ?? 0;
    if (before > this.#few) return 1;
    this.#calls.set(subject, before + 1);
    // The first one that is not few any more brings those before it.
    return before < this.#few ? 0 : before + 1;
  }
}
