import type { Counter } from './counter.ts';
import type { Engine } from './engine.ts';
import type { TimerHandle } from './host.ts';
import { callStore } from './store-calls.ts';

/** A block from which nothing was taken for this long goes back, in ms, so that other processes can have it. */
const LEASE_IDLE_MS = 5_000;

const LOOK_EVERY_MS = 1_000;

/**
 * Keeps the blocks that counters hold. An idle block and, on `close`, every block is given back. A block left at the end of
 * its period is worth nothing and is dropped. A process that is killed leaves its blocks spent until the period ends, at most
 * `lease` per subject: on the safe side of the limit.
 */
export class LeaseKeeper {
  readonly #engine: Engine;
  readonly #leased = new Set<Counter>();
  #timer: TimerHandle | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** This counter may hold a block. */
  keep(counter: Counter): void {
    this.#leased.add(counter);
    this.#timer ??= this.#engine.timers.set(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Gives everything back; failures leave it spent. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await Promise.all(Array.from(this.#leased, (counter) => this.#giveBack(counter)));
    this.#leased.clear();
  }

  #look(): void {
    this.#timer = undefined;
    const nowMs = this.#engine.clock();
    for (const counter of this.#leased) {
      if (counter.lease === 0 || counter.leaseUsedAtMs + LEASE_IDLE_MS > nowMs) {
        if (counter.lease === 0) this.#leased.delete(counter);
        continue;
      }
      this.#leased.delete(counter);
      void this.#giveBack(counter);
    }
    if (this.#leased.size > 0) this.#timer = this.#engine.timers.set(() => this.#look(), LOOK_EVERY_MS);
  }

  async #giveBack(counter: Counter): Promise<void> {
    const amount = counter.lease;
    counter.lease = 0;
    // The period's clock may be the store's; a return that comes too late meets no counter, and creates none.
    if (amount === 0 || this.#engine.clock() >= counter.period.deadline) return;
    const { key, period, lane, rules } = counter;
    const [total] = await callStore(this.#engine, lane, rules.budgetMs, () =>
      this.#engine.store.giveBack([{ key, amount, deadline: period.deadline }]),
    ).catch(() => []);
    if (typeof total !== 'number') return;
    counter.heard(total, this.#engine.clock());
    this.#engine.metrics.leaseReturned += amount;
  }
}
