import { addressSubject } from './addresses.ts';
import { Counter, type DatedPeriod } from './counter.ts';
import { periodDeadline } from './deadlines.ts';
import type { Engine } from './engine.ts';
import { QuotaError } from './errors.ts';
import { keyPrefix } from './keys.ts';
import { periodAt } from './periods.ts';
import type { QuotaRules } from './rules.ts';

/** Most subjects per quota that are remembered, about 300 bytes each; the others only cost a question to the store. */
export const DEFAULT_MAX_TRACKED = 131_072;

/** Busy counters passed over when one has to go; so that making room is O(1). */
const PASSED_OVER = 8;

/** The counters of one quota's current period that this process used. Bounded. */
export class CounterTracker {
  readonly #rules: QuotaRules;
  readonly #engine: Pick<Engine, 'laneOf' | 'instance'>;
  readonly #max: number;
  #period: DatedPeriod | undefined;
  #counters = new Map<string, Counter>();
  /** Where making room goes on. Beginning anew would walk over the places of all that were deleted since the map last grew. */
  #oldest: IterableIterator<Counter> = this.#counters.values();

  constructor(rules: QuotaRules, engine: Pick<Engine, 'laneOf' | 'instance'>, max: number) {
    this.#rules = rules;
    this.#engine = engine;
    this.#max = max;
  }

  /** The period that holds `nowMs`. */
  periodAt(nowMs: number): DatedPeriod {
    const known = this.#period;
    if (known !== undefined && nowMs >= known.startMs && nowMs < known.endMs) return known;
    const period = periodAt(this.#rules.length, this.#rules.zone, nowMs);
    const dated = { ...period, deadline: periodDeadline(period.endMs, this.#rules.marginMs, nowMs) };
    // What was known of another period is of no use any more; draws under way hold their own counters.
    if (dated.id !== known?.id) {
      this.#counters = new Map();
      this.#oldest = this.#counters.values();
    }
    this.#period = dated;
    return dated;
  }

  /** The counter of a subject, as the user gave it. */
  at(subject: string, nowMs: number): Counter {
    const period = this.periodAt(nowMs);
    return this.#counters.get(subject) ?? this.#track(subject, period);
  }

  /** The counter if this process knows it. */
  known(subject: string): Counter | undefined {
    return this.#counters.get(subject);
  }

  /** A counter of another period, or one that need not be remembered. */
  detached(subject: string, period: DatedPeriod): Counter {
    const prefix = keyPrefix(this.#rules.id, subject);
    return this.#make(subject, prefix, period);
  }

  all(): IterableIterator<Counter> {
    return this.#counters.values();
  }

  /** The subject as it is charged. */
  charged(subject: unknown): string {
    if (typeof subject !== 'string' || subject === '') {
      throw new QuotaError('invalid-subject', 'a subject must be a text of at least one character');
    }
    return this.#rules.ipv6Prefix === undefined ? subject : addressSubject(subject, this.#rules.ipv6Prefix);
  }

  #track(given: string, period: DatedPeriod): Counter {
    const subject = this.charged(given);
    const prefix = keyPrefix(this.#rules.id, subject);
    // Several addresses are one subject; they share one counter.
    const shared = subject === given ? undefined : this.#counters.get(subject);
    if (shared !== undefined) return shared;
    const counter = this.#make(subject, prefix, period);
    if (this.#counters.size >= this.#max) this.#makeRoom();
    this.#counters.set(subject, counter);
    return counter;
  }

  #make(subject: string, prefix: string, period: DatedPeriod): Counter {
    const { laneOf, instance } = this.#engine;
    return new Counter(this.#rules, subject, prefix, period, laneOf(prefix + period.id), instance);
  }

  /** Forgets the oldest counter that is idle; busy ones go to the end of the line. */
  #makeRoom(): void {
    for (let passed = 0; passed < PASSED_OVER; passed += 1) {
      let oldest = this.#oldest.next();
      if (oldest.done === true) {
        this.#oldest = this.#counters.values();
        oldest = this.#oldest.next();
        if (oldest.done === true) return;
      }
      const counter = oldest.value;
      this.#counters.delete(counter.subject);
      if (counter.idle) return;
      this.#counters.set(counter.subject, counter);
    }
  }
}
