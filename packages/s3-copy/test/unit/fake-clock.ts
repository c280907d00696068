import type { Cancellation } from '../../src/cancellation.ts';
import type { Clock } from '../../src/clock.ts';

/** Virtual time that one turn of the event loop takes while somebody sleeps, in ms. */
const TURN_MS = 5;

/**
 * A clock of its own: while somebody sleeps, each turn of the event loop is 5 ms. Nobody waits for real, and what takes
 * a few turns still comes before what takes seconds.
 */
export class FakeClock implements Clock {
  nowMs: number;
  readonly sleepsMs: number[] = [];
  readonly #random: () => number;
  #sleepers = new Set<{ dueMs: number; wake: () => void }>();
  #turning = false;

  constructor(nowMs = Date.UTC(2026, 10, 30, 7), random: () => number = () => 0.5) {
    this.nowMs = nowMs;
    this.#random = random;
  }

  now(): number {
    return this.nowMs;
  }

  random(): number {
    return this.#random();
  }

  sleep(ms: number, cancellation?: Cancellation): Promise<void> {
    this.sleepsMs.push(ms);
    return new Promise((resolve, reject) => {
      const sleeper = { dueMs: this.nowMs + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      const forget = cancellation?.onCancel((reason) => {
        this.#sleepers.delete(sleeper);
        reject(reason);
      });
      sleeper.wake = () => {
        forget?.();
        resolve();
      };
      this.#turn();
    });
  }

  #turn(): void {
    if (this.#turning || this.#sleepers.size === 0) return;
    this.#turning = true;
    setImmediate(() => {
      this.#turning = false;
      this.nowMs += TURN_MS;
      for (const sleeper of this.#sleepers) {
        if (sleeper.dueMs > this.nowMs) continue;
        this.#sleepers.delete(sleeper);
        sleeper.wake();
      }
      this.#turn();
    });
  }
}
