import { DeadlineBuckets, type Dated } from './deadline-buckets.ts';
import type { Deadline } from './deadlines.ts';
import { QuotaError } from './errors.ts';
import { MAX_TIMER_MS, type Clock, type TimerHandle, type Timers } from './host.ts';
import type { HeldCounter } from './store.ts';

/** One entry of a memory store: a counter, or a value. */
export class MemoryEntry implements Dated, HeldCounter {
  readonly key: string;
  readonly deadline: number;
  total: number = 0;
  held: boolean = true;
  /** Set when the entry is a value and no counter. */
  value: string | undefined = undefined;
  previous: this | undefined = undefined;
  next: this | undefined = undefined;

  constructor(key: string, deadline: number) {
    this.key = key;
    this.deadline = deadline;
  }
}

/** Due entries removed by one call, so that no take pays for the sweep of a whole period. */
const SWEEP_PER_CALL = 4;

/** Due entries removed by one run of the timer, before it yields to the host. */
const SWEEP_PER_RUN = 10_000;

/** Pause between two runs while due entries remain, in ms. */
const SWEEP_PAUSE_MS = 5;

/** The entries of a memory store by key: bounded, dated, swept. Everything is O(1) amortised. */
export class MemoryEntries {
  readonly max: number;
  readonly evicts: boolean;
  readonly #byKey = new Map<string, MemoryEntry>();
  readonly #buckets = new DeadlineBuckets<MemoryEntry>();
  readonly #clock: Clock;
  readonly #timers: Timers;
  #timer: TimerHandle | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #evicted = 0;
  /** Nothing is due before this time. */
  #dueMs: number = Number.POSITIVE_INFINITY;

  /** @param evicts make room by removing the entry with the soonest deadline, instead of refusing new ones. */
  constructor(max: number, evicts: boolean, clock: Clock, timers: Timers) {
    this.max = max;
    this.evicts = evicts;
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Entries held, due ones that are not yet swept included. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Entries removed to make room. */
  get evicted(): number {
    return this.#evicted;
  }

  /** The entry, if its deadline has not passed. */
  live(key: string, nowMs: number): MemoryEntry | undefined {
    const entry = this.#byKey.get(key);
    if (entry === undefined || entry.deadline > nowMs) return entry;
    this.delete(entry);
    return undefined;
  }

  /** @throws {QuotaError} `store-unavailable` when the store is full of live entries and may not evict. */
  create(key: string, deadline: Deadline, nowMs: number): MemoryEntry {
    if (this.#byKey.size >= this.max && !this.#makeRoom(nowMs)) throw this.full();
    const entry = new MemoryEntry(key, deadline);
    this.#byKey.set(key, entry);
    this.#buckets.add(entry);
    this.#dueMs = Math.min(this.#dueMs, deadline);
    this.#schedule(nowMs);
    return entry;
  }

  delete(entry: MemoryEntry): void {
    entry.held = false;
    this.#byKey.delete(entry.key);
    this.#buckets.remove(entry);
  }

  /** The entry, due or not. */
  get(key: string): MemoryEntry | undefined {
    return this.#byKey.get(key);
  }

  /** Removes some due entries. */
  sweepSome(nowMs: number): void {
    if (nowMs >= this.#dueMs) this.#sweep(nowMs, SWEEP_PER_CALL);
  }

  clear(): void {
    for (const entry of this.#byKey.values()) entry.held = false;
    this.#byKey.clear();
    this.#buckets.clear();
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  stopTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
  }

  full(): QuotaError {
    return new QuotaError('store-unavailable', `the memory store is full: ${this.max} live entries`);
  }

  #makeRoom(nowMs: number): boolean {
    this.#sweep(nowMs, 1);
    if (this.#byKey.size < this.max) return true;
    const victim = this.evicts ? this.#buckets.soonest() : undefined;
    if (victim === undefined) return false;
    this.delete(victim);
    this.#evicted += 1;
    return true;
  }

  /** Removes at most `most` due entries; says whether it stopped for that reason. */
  #sweep(nowMs: number, most: number): boolean {
    for (let swept = 0; swept < most; swept++) {
      const entry = this.#buckets.popDue(nowMs);
      if (entry === undefined) {
        this.#dueMs = this.#buckets.nextDueMs() ?? Number.POSITIVE_INFINITY;
        return false;
      }
      entry.held = false;
      this.#byKey.delete(entry.key);
    }
    return true;
  }

  /** One timer, never longer than `MAX_TIMER_MS`, wakes for the earliest deadline, so idle memory is returned too. */
  #schedule(nowMs: number, soonestMs = 0): void {
    const dueMs = this.#buckets.nextDueMs();
    if (dueMs === undefined) return;
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(soonestMs, dueMs - nowMs));
    if (this.#timer !== undefined && this.#timerAtMs <= nowMs + delayMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = nowMs + delayMs;
    this.#timer = this.#timers.set(() => {
      this.#timer = undefined;
      const wakeMs = this.#clock();
      const more = this.#sweep(wakeMs, SWEEP_PER_RUN);
      this.#schedule(wakeMs, more ? SWEEP_PAUSE_MS : SWEEP_PAUSE_MS * 20);
    }, delayMs);
  }
}
