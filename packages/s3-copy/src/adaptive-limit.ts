import type { Pace, S3Operation } from './gate.ts';

/*
 * How many objects are under way: as many as allowed while the servers are well, fewer while they are not.
 *
 * Throttles are answered as TCP answers loss: halve at once, grow by one for each full round of answers (additive
 * increase, multiplicative decrease: Chiu and Jain 1989; slow start before the first throttle: Jacobson 1988).
 * Latency is judged as in Netflix' concurrency-limits ("Gradient2"): a short average far above the long one means that a
 * queue is growing somewhere. A latency that stays high becomes the long average, so a slow server is not a sick one.
 */

/** Objects that a run begins with; each answer adds one, so 64 are reached after 48 answers. */
const START = 16;
/** Weight of one answer in the short and in the long average of its operation. */
const SHORT_WEIGHT = 0.05;
const LONG_WEIGHT = 0.0005;
/** Answers of an operation before its averages mean something. */
const MIN_ANSWERS = 200;
/** The short average may be so many times the long one, and may always be so high, in ms, before it counts as trouble. */
const TOLERANCE = 3;
const HARMLESS_MS = 100;
/** What a round of slow answers leaves of the limit. */
const LATENCY_BACKOFF = 0.9;
/** One throttle often comes with many: those that follow within this time belong to the same trouble, in ms. */
const MIN_CALM_MS = 100;

interface Latency {
  answers: number;
  shortMs: number;
  longMs: number;
}

/** A limit between 1 and `max` that adapts to answers and throttles. */
export class AdaptiveLimit implements Pace {
  readonly #nowMs: () => number;
  #max: number;
  #limit: number;
  /** Slow start ends here; no bound before the first throttle. */
  #threshold = Number.POSITIVE_INFINITY;
  #calmUntilMs = Number.NEGATIVE_INFINITY;
  #answersThisRound = 0;
  readonly #latencies = new Map<S3Operation, Latency>();

  /** @param nowMs monotonic time */
  constructor(max: number, nowMs: () => number) {
    this.#max = Math.max(1, Math.floor(max));
    this.#nowMs = nowMs;
    this.#limit = Math.min(this.#max, START);
  }

  /** The present value: a whole number from 1 to `max`. */
  get value(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** The highest value; lowered below the present one, that one falls with it. */
  get max(): number {
    return this.#max;
  }

  set max(max: number) {
    this.#max = Math.max(1, Math.floor(max));
    this.#limit = Math.min(this.#limit, this.#max);
  }

  answered(operation: S3Operation, latencyMs: number): void {
    this.#learn(operation, latencyMs);
    const growth = this.#limit < this.#threshold ? 1 : 1 / this.#limit;
    this.#limit = Math.min(this.#max, this.#limit + growth);
    if (++this.#answersThisRound < this.#limit) return;
    this.#answersThisRound = 0;
    if (!this.#isSlow()) return;
    this.#limit = Math.max(1, (this.#limit - 1) * LATENCY_BACKOFF);
    this.#threshold = this.#limit;
  }

  throttled(): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#calmUntilMs) return;
    this.#limit = Math.max(1, this.#limit / 2);
    this.#threshold = this.#limit;
    this.#answersThisRound = 0;
    this.#calmUntilMs = nowMs + Math.max(MIN_CALM_MS, 2 * this.#longestMs());
  }

  #learn(operation: S3Operation, latencyMs: number): void {
    const known = this.#latencies.get(operation);
    if (known === undefined) {
      this.#latencies.set(operation, { answers: 1, shortMs: latencyMs, longMs: latencyMs });
      return;
    }
    known.answers++;
    known.shortMs += SHORT_WEIGHT * (latencyMs - known.shortMs);
    // A plain mean until there are as many answers as the weight stands for.
    known.longMs += Math.max(LONG_WEIGHT, 1 / known.answers) * (latencyMs - known.longMs);
  }

  #isSlow(): boolean {
    for (const { answers, shortMs, longMs } of this.#latencies.values()) {
      if (answers >= MIN_ANSWERS && shortMs > HARMLESS_MS && shortMs > TOLERANCE * longMs) return true;
    }
    return false;
  }

  #longestMs(): number {
    let longest = 0;
    for (const { shortMs } of this.#latencies.values()) longest = Math.max(longest, shortMs);
    return longest;
  }
}

/** A limit that stays where it is. */
export class FixedLimit implements Pace {
  max: number;

  constructor(max: number) {
    this.max = max;
  }

  get value(): number {
    return Math.max(1, Math.floor(this.max));
  }

  answered(): void {
    // Nothing is learnt.
  }

  throttled(): void {
    // Nothing is learnt.
  }
}
