/**
 * Credits of a window that are let go evenly instead of at once: at the rate of the allocation, and never more than a
 * burst at a time, so that a second sees at most one second's worth and one burst. A bucket that fills as time passes and
 * loses what does not fit; what it loses stays with the window and is released later.
 *
 * The level goes on from window to window, so that the end of one and the start of the next are no burst together.
 */
export class CreditRelease {
  readonly #ratePerMs: number;
  /** Most credits that are ready at a time; at least 1, since there are no parts of operations. */
  readonly burstCredits: number;
  #ready: number;
  #held: number;
  #filledAtMs: number;

  /** @param before the release of the window before, `gapMs` ago; null: the bucket is full. */
  constructor(
    credits: number,
    tps: number,
    burstSeconds: number,
    nowMs: number,
    before: { readonly ready: number; readonly atMs: number } | null,
  ) {
    this.#ratePerMs = tps / 1_000;
    this.burstCredits = Math.max(1, tps * burstSeconds);
    const level = before === null ? this.burstCredits : before.ready + (nowMs - before.atMs) * this.#ratePerMs;
    this.#ready = Math.min(this.burstCredits, level, credits);
    this.#held = credits - this.#ready;
    this.#filledAtMs = nowMs;
  }

  /** Credits that may be spent now; below 0 after a charge that was larger than a burst. */
  get ready(): number {
    return this.#ready;
  }

  /** Credits of the window that are left. */
  get left(): number {
    return this.#ready + this.#held;
  }

  /** Lets time pass. */
  fill(nowMs: number): void {
    const gained = Math.max(0, nowMs - this.#filledAtMs) * this.#ratePerMs;
    this.#filledAtMs = nowMs;
    const moved = Math.min(this.#held, Math.max(0, Math.min(gained, this.burstCredits - this.#ready)));
    this.#ready += moved;
    this.#held -= moved;
  }

  spend(cost: number): void {
    this.#ready -= cost;
  }

  /** Time until a charge can be admitted, in ms. A charge larger than a burst waits for a full one. */
  waitMs(cost: number): number {
    return Math.max(0, Math.min(cost, this.burstCredits) - this.#ready) / this.#ratePerMs;
  }
}
