import type { Clock, TimerHandle, Timers } from './host.ts';

/** Something that must be answered in time. */
export interface Watched {
  readonly dueMs: number;
}

/**
 * Ends what is overdue. One timer serves everything that is under way: it is armed while there is something to watch and is not
 * touched when an answer comes, so that a take costs no timer.
 */
export class Watchdog<T extends Watched> {
  readonly #watched = new Set<T>();
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #overdue: (item: T, nowMs: number) => void;
  #timer: TimerHandle | undefined;
  /** When the timer fires, in ms. */
  #firesAtMs = 0;

  constructor(clock: Clock, timers: Timers, overdue: (item: T, nowMs: number) => void) {
    this.#clock = clock;
    this.#timers = timers;
    this.#overdue = overdue;
  }

  add(item: T, nowMs: number): void {
    this.#watched.add(item);
    if (this.#timer !== undefined) {
      if (item.dueMs >= this.#firesAtMs) return;
      // It has waited elsewhere, longer than what was watched before it.
      this.#timer.cancel();
    }
    this.#arm(item.dueMs, nowMs);
  }

  /** Answered; says whether it was still watched. */
  remove(item: T): boolean {
    return this.#watched.delete(item);
  }

  /** Ends everything that is watched, now. */
  stop(nowMs: number): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const items = [...this.#watched];
    this.#watched.clear();
    for (const item of items) this.#overdue(item, nowMs);
  }

  #arm(dueMs: number, nowMs: number): void {
    const ms = Math.max(1, dueMs - nowMs);
    this.#firesAtMs = nowMs + ms;
    this.#timer = this.#timers.set(() => this.#look(), ms);
  }

  #look(): void {
    this.#timer = undefined;
    const nowMs = this.#clock();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const item of this.#watched) {
      if (item.dueMs > nowMs) {
        nextMs = Math.min(nextMs, item.dueMs);
        continue;
      }
      this.#watched.delete(item);
      this.#overdue(item, nowMs);
    }
    // Something may have been added, and the timer armed, by the calls above.
    if (this.#timer === undefined && Number.isFinite(nextMs)) this.#arm(nextMs, nowMs);
  }
}
