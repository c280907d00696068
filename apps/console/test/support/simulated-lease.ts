import { LEASE_MS } from '../../src/leadership/lease-times.ts';
import type { Leader, LeaseAnswer, LeaseStore } from '../../src/ports/lease-store.ts';

/** A lease that ends by a clock, as Redis keeps it, which tests lose, cut off, and delay. */
export class SimulatedLease {
  readonly #nowMs: () => number;
  #held: { id: string; holder: Leader; untilMs: number } | 'released' | null = null;
  /** Nobody reaches it while it is away. */
  away = false;
  #run = 1;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** As a restart without its data. */
  lose(): void {
    this.#held = null;
    this.#run += 1;
  }

  /**
   * The lease as one console reaches it.
   * @param network called before a request and before its answer; rejects when that is lost, resolves when it arrived
   */
  seenBy(network: () => Promise<void>): LeaseStore {
    const run = (): number => this.#run;
    return {
      get run() {
        return run();
      },
      claim: async (id, holder, takeMissing) => {
        // A request over a connection to a store that is gone reaches nobody.
        const before = this.#run;
        await network();
        if (before !== this.#run) throw new Error('the connection broke');
        const answer = this.#claim(id, holder, takeMissing);
        await network();
        return answer;
      },
      look: async () => {
        await network();
        const answer = this.#look();
        await network();
        return answer;
      },
      release: async (id) => {
        await network();
        if (this.away) throw new Error('away');
        if (this.#held !== null && this.#held !== 'released' && this.#held.id === id) this.#held = 'released';
      },
    };
  }

  #claim(id: string, holder: Leader, takeMissing: boolean): LeaseAnswer {
    if (this.away) throw new Error('away');
    const nowMs = this.#nowMs();
    if (this.#held !== null && this.#held !== 'released' && this.#held.untilMs <= nowMs) this.#held = null;
    const held = this.#held;
    if (held === 'released' || (held === null && takeMissing) || (held !== null && held.id === id)) {
      this.#held = { id, holder, untilMs: nowMs + LEASE_MS };
      return { held: 'own' };
    }
    return this.#look();
  }

  #look(): Exclude<LeaseAnswer, { held: 'own' }> {
    if (this.away) throw new Error('away');
    const nowMs = this.#nowMs();
    const held = this.#held;
    if (held === null || held === 'released' || held.untilMs <= nowMs) return { held: 'missing' };
    return { held: 'other', holder: held.holder, remainingMs: held.untilMs - nowMs };
  }
}
