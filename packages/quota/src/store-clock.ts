import { Breaker } from './breaker.ts';
import type { Lane } from './counter.ts';
import type { Engine } from './engine.ts';
import { callStore } from './store-calls.ts';

/** How old a measurement of the store's clock may be, in ms, before it is repeated in the background. */
const CLOCK_REFRESH_MS = 30_000;

/** Longest wait for the store's time, in ms. */
const ASK_BUDGET_MS = 1_000;

/**
 * The store's time, without a question per take: the difference to this host's clock is measured at the middle of a round
 * trip and refreshed in the background. While the store's clock is unknown this host's is used.
 */
export class StoreClock {
  readonly #engine: Engine;
  readonly #lane: Lane = { name: 'clock', breaker: new Breaker() };
  #offsetMs = 0;
  #measuredAtMs = Number.NEGATIVE_INFINITY;
  #measuring: Promise<void> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Store time in ms since 1970. */
  now(): number {
    const localMs = this.#engine.clock();
    if (Math.abs(localMs - this.#measuredAtMs) > CLOCK_REFRESH_MS) void this.measure();
    return localMs + this.#offsetMs;
  }

  /** Whether a measurement was made. */
  get known(): boolean {
    return Number.isFinite(this.#measuredAtMs);
  }

  /** Measures now; never rejects. Calls at the same time share one measurement. */
  measure(): Promise<void> {
    this.#measuring ??= this.#measure();
    return this.#measuring;
  }

  async #measure(): Promise<void> {
    const beforeMs = this.#engine.clock();
    try {
      const storeMs = await callStore(this.#engine, this.#lane, ASK_BUDGET_MS, () => this.#engine.store.time());
      const afterMs = this.#engine.clock();
      this.#offsetMs = Math.round(storeMs - (beforeMs + afterMs) / 2);
      this.#measuredAtMs = afterMs;
    } catch {
      // No clock, or no store: keep what was known and ask again later.
      if (this.known) this.#measuredAtMs = this.#engine.clock();
    } finally {
      this.#measuring = undefined;
    }
  }
}
