import { deadlineAt, MemoryStore, type Store } from '@weir/quota';
import type { LedgerTier } from '../../src/ports/credit-ledger.ts';

const MARKER = 'weir:ledger:{fleet}:marker';

/** A server that keeps a ledger and loses it as servers do. */
export class SimulatedLedgerServer implements LedgerTier {
  readonly store: LedgerTier['store'];
  /** Whether calls fail; some are carried out all the same. */
  away = false;
  /** Calls that were made. */
  calls = 0;
  /** What its clock shows beyond the time that passes, in ms. */
  aheadMs = 0;
  readonly #nowMs: () => number;
  #entries: MemoryStore;
  #run = 1;
  #connections = 1;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#entries = this.#empty();
    const call = <Answer>(run: (entries: MemoryStore) => Promise<Answer>) => this.#call(run);
    this.store = {
      take: (draws) => call((entries) => entries.take(draws)),
      giveBack: (returns) => call((entries) => entries.giveBack(returns)),
      get: (key) => call((entries) => entries.get(key)),
      swap: (...args: Parameters<Store['swap']>) => call((entries) => entries.swap(...args)),
      time: () => call((entries) => entries.time()),
      health: () => call(() => Promise.resolve({ instance: `run ${this.#run}` })),
    };
  }

  readonly connections = (): number => this.#connections;

  /** Everything is gone, and nobody is told. */
  flush(): void {
    this.#entries = this.#empty();
  }

  /** `with-old-counters`: what it had written down is there again, which is the marker and no counter. */
  async restart(holds: 'empty' | 'with-old-counters'): Promise<void> {
    const marker = await this.#entries.get(MARKER);
    this.flush();
    this.#run += 1;
    this.#connections += 1;
    if (holds === 'empty' || marker === undefined) return;
    const nowMs = this.#nowMs() + this.aheadMs;
    const deadline = deadlineAt(nowMs + 60_000, nowMs);
    await this.#entries.swap(MARKER, undefined, marker, deadline);
  }

  #empty(): MemoryStore {
    const timers = { set: () => ({ cancel: () => undefined }) };
    return new MemoryStore({ clock: () => this.#nowMs() + this.aheadMs, timers });
  }

  async #call<Answer>(run: (entries: MemoryStore) => Promise<Answer>): Promise<Answer> {
    this.calls += 1;
    // The answer of every other call is what is lost.
    if (this.away && this.calls % 2 === 0) throw new Error('connection lost');
    const answer = await run(this.#entries);
    if (this.away) throw new Error('answer lost');
    return answer;
  }
}
