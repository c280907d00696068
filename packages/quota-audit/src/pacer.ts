import type { Clock } from '@weir/quota';

/** However busy the server is, the audit goes on at this rate, in keys per second, or it would never end. */
const SLOWEST = 200;

/** At this latency a server is not called slow whatever its best was, in ms. */
const HARMLESS_MS = 2;

/** Above this many times its best latency it is. */
const SLOW_TIMES = 3;

const FASTER = 1.05;
const SLOWER = 0.7;

/** How slowly a best latency is forgotten, per look. */
const FORGET = 1.001;

/** Most unused time that counts, in ms. */
const SAVED_MS = 50;

/** What the rate depends on. */
export interface PaceState {
  readonly keysPerSecond: number;
  /** Best latency seen, in ms. */
  readonly bestMs: number;
}

/**
 * The next rate after a look at the server's latency: a little faster while it is near its best, much slower when it is not.
 * Pure.
 */
export function nextPace(state: PaceState, latencyMs: number, most: number): PaceState {
  const bestMs = Math.min(latencyMs, state.bestMs * FORGET);
  const isSlow = latencyMs > bestMs * SLOW_TIMES + HARMLESS_MS;
  const wanted = state.keysPerSecond * (isSlow ? SLOWER : FASTER);
  return { keysPerSecond: Math.min(most, Math.max(Math.min(SLOWEST, most), wanted)), bestMs };
}

/** Keeps an audit to its pace. */
export class Pacer {
  readonly #most: number;
  readonly #now: Clock;
  readonly #sleep: (ms: number) => Promise<void>;
  #state: PaceState;
  #readyAtMs: number;

  /** @param now a clock that never goes back, in ms. */
  constructor(most: number, now: Clock, sleep: (ms: number) => Promise<void>) {
    this.#most = most;
    this.#now = now;
    this.#sleep = sleep;
    // A slow start: what the server is like when it is at ease must be known first.
    this.#state = { keysPerSecond: most / 4, bestMs: Number.POSITIVE_INFINITY };
    this.#readyAtMs = now();
  }

  /** Keys per second now. */
  get keysPerSecond(): number {
    return this.#state.keysPerSecond;
  }

  /** Takes note of a latency in ms. */
  observe(latencyMs: number): void {
    this.#state = nextPace(this.#state, latencyMs, this.#most);
  }

  /** Waits until as much time has passed as all keys before and these may take. */
  async pay(keys: number): Promise<void> {
    const nowMs = this.#now();
    // Time that was not used is not saved up, but for what the last page took: no burst follows a pause.
    this.#readyAtMs = Math.max(this.#readyAtMs, nowMs - SAVED_MS) + (keys / this.#state.keysPerSecond) * 1_000;
    const waitMs = this.#readyAtMs - nowMs;
    // Timers are no finer; what is not waited for now adds up.
    if (waitMs >= 1) await this.#sleep(waitMs);
  }
}
