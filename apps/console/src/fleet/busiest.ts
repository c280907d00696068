/** The `max` busiest of many, without keeping or sorting all: a fleet may have 100,000 agents. */
export class Busiest<T> {
  readonly #max: number;
  #kept: { one: T; tps: number }[] = [];
  #threshold = Number.NEGATIVE_INFINITY;

  constructor(max: number) {
    this.#max = max;
  }

  add(one: T, tps: number): void {
    if (tps <= this.#threshold) return;
    this.#kept.push({ one, tps });
    if (this.#kept.length >= 2 * this.#max) this.#cut();
  }

  /** Busiest first; equally busy ones in the order in which they were added. */
  get list(): T[] {
    this.#cut();
    return this.#kept.map(({ one }) => one);
  }

  #cut(): void {
    this.#kept = this.#kept.sort((a, b) => b.tps - a.tps).slice(0, this.#max);
    const last = this.#kept.at(-1);
    if (this.#kept.length === this.#max && last !== undefined) this.#threshold = last.tps;
  }
}
