import type { Engine } from './engine.ts';
import type { QuotaEvent } from './events.ts';
import { MAX_TIMER_MS, type TimerHandle } from './host.ts';
import type { StoreHealth } from './store.ts';
import { settled } from './store-calls.ts';

/** Difference between the clocks of store and host from which it is reported, in ms: half of the least default margin. */
export const MAX_SKEW_MS = 30_000;

/** What changed between two looks at the store, as events. Pure. */
export function assessHealth(before: StoreHealth | undefined, now: StoreHealth): QuotaEvent[] {
  const events: QuotaEvent[] = [];
  const { instance, evictionPolicy, evicted, undated } = now;
  if (instance !== undefined && before?.instance !== undefined && before.instance !== instance) {
    events.push({ type: 'store_restarted', instance, before: before.instance });
  }
  if (evictionPolicy !== undefined && evictionPolicy !== 'noeviction' && evictionPolicy !== before?.evictionPolicy) {
    events.push({ type: 'eviction_policy_unsafe', policy: evictionPolicy });
  }
  // A restarted server counts from zero again.
  const evictedBefore = before?.instance === instance ? (before?.evicted ?? 0) : 0;
  if (before !== undefined && (evicted ?? 0) > evictedBefore) {
    events.push({ type: 'entries_evicted', count: (evicted ?? 0) - evictedBefore });
  }
  if ((undated ?? 0) > 0 && undated !== before?.undated) {
    events.push({ type: 'undated_entries', count: undated ?? 0 });
  }
  return events;
}

/** Looks at the store's health at start and on a timer, and tells what it finds as events. */
export class HealthWatch {
  readonly #engine: Engine;
  readonly #everyMs: number;
  #timer: TimerHandle | undefined;
  #last: StoreHealth | undefined;
  #skewed = false;
  #stopped = false;

  /** @param everyMs pause between two looks in ms, at most 60,000; 0: only when asked. */
  constructor(engine: Engine, everyMs: number) {
    this.#engine = engine;
    this.#everyMs = Math.min(everyMs, MAX_TIMER_MS);
  }

  /** What the last look found. */
  get last(): StoreHealth | undefined {
    return this.#last;
  }

  /** Looks now and from then on; never rejects. */
  async look(): Promise<void> {
    const { store, emit } = this.#engine;
    try {
      const health = await settled(() => store.health());
      for (const event of assessHealth(this.#last, health)) emit(event);
      this.#last = health;
      await this.#compareClocks();
    } catch (error) {
      emit({ type: 'health_unknown', error: error instanceof Error ? error.message : String(error) });
    }
    this.#again();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #again(): void {
    if (this.#stopped || this.#everyMs === 0) return;
    this.#timer?.cancel();
    this.#timer = this.#engine.timers.set(() => void this.look(), this.#everyMs);
  }

  /** A store without a clock is not compared. */
  async #compareClocks(): Promise<void> {
    const { store, clock, emit } = this.#engine;
    const storeMs = await settled(() => store.time()).catch(() => undefined);
    if (storeMs === undefined) return;
    const skewMs = Math.round(storeMs - clock());
    const skewed = Math.abs(skewMs) > MAX_SKEW_MS;
    if (skewed && !this.#skewed) emit({ type: 'clock_skewed', skewMs });
    this.#skewed = skewed;
  }
}
