import type { Counter } from './counter.ts';
import type { Engine } from './engine.ts';
import { QuotaError } from './errors.ts';
import { expireHolds, formatHolds, parseHolds, type Holds } from './holds.ts';
import { companionKey } from './keys.ts';
import { callStore } from './store-calls.ts';

/** Attempts to write a ledger that other processes keep changing, before giving up. */
const MAX_ATTEMPTS = 64;

interface Change {
  /** Changes the list; what it returns tells the caller, once the list is written. */
  readonly apply: (holds: Holds) => () => void;
  readonly reject: (error: unknown) => void;
}

/** Reads and changes the reservations beside counters, by compare-and-swap; changes of one tick share one write. */
export class HoldLedgers {
  readonly #engine: Engine;
  readonly #pending = new Map<string, Change[]>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The key of a counter's ledger. */
  static keyOf(counter: Counter): string {
    return companionKey(counter.prefix, 'holds', counter.period.id);
  }

  /**
   * Applies a change. `apply` may run several times, each time on what the store holds then.
   * @throws {QuotaError} what the store failed with; the change may have been written all the same.
   */
  change<T>(counter: Counter, apply: (holds: Holds) => T): Promise<T> {
    const key = HoldLedgers.keyOf(counter);
    return new Promise<T>((resolve, reject) => {
      const change: Change = {
        apply: (holds) => {
          const result = apply(holds);
          return () => resolve(result);
        },
        reject,
      };
      const waiting = this.#pending.get(key);
      if (waiting !== undefined) waiting.push(change);
      else {
        this.#pending.set(key, [change]);
        void this.#run(counter, key);
      }
    });
  }

  /**
   * Frees reservations of this counter whose lease ended.
   * @param nowMs the time by the clock that dates leases.
   * @returns whether any amount came free.
   */
  async reap(counter: Counter, nowMs: number): Promise<boolean> {
    const leaseMs = counter.rules.reservationMs ?? 0;
    const freed = await this.change(counter, (holds) => expireHolds(holds, nowMs, leaseMs));
    if (freed.amount === 0) return false;
    const { key, period, lane, rules } = counter;
    const [total] = await callStore(this.#engine, lane, rules.budgetMs, () =>
      this.#engine.store.giveBack([{ key, amount: freed.amount, deadline: period.deadline }]),
    );
    this.#engine.metrics.reservationsExpired += freed.count;
    if (typeof total === 'number') counter.heard(total, this.#engine.clock());
    return true;
  }

  async #run(counter: Counter, key: string): Promise<void> {
    for (;;) {
      // Everything that came while the last write was under way goes into the next one.
      await Promise.resolve();
      const changes = this.#pending.get(key) ?? [];
      if (changes.length === 0) {
        this.#pending.delete(key);
        return;
      }
      this.#pending.set(key, []);
      try {
        for (const tell of await this.#write(counter, key, changes)) tell();
      } catch (error) {
        for (const change of changes) change.reject(error);
      }
    }
  }

  async #write(counter: Counter, key: string, changes: readonly Change[]): Promise<(() => void)[]> {
    const { store } = this.#engine;
    const { lane, period, rules } = counter;
    let text = await callStore(this.#engine, lane, rules.budgetMs, () => store.get(key));
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const holds = parseHolds(text);
      const results = changes.map((change) => change.apply(holds));
      const next = formatHolds(holds);
      if (next === (text ?? '')) return results;
      const expected = text;
      const { swapped, value } = await callStore(this.#engine, lane, rules.budgetMs, () =>
        store.swap(key, expected, next, period.deadline),
      );
      if (swapped) return results;
      text = value;
    }
    throw new QuotaError(
      'store-unavailable',
      `the reservations of ${counter.subject} changed ${MAX_ATTEMPTS} times meanwhile`,
    );
  }
}
