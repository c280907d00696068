/*
 * closed ──5 failures in a row──▶ open ──cooldown over──▶ half-open ──success──▶ closed
 *                                  ▲                          │
 *                                  └────────── failure ───────┘   the cooldown doubles, up to a bound
 *
 * Half-open lets one call through; everything else is still decided without the store.
 */

/** Failures in a row that open the breaker. */
export const BREAKER_FAILURES = 5;

/** First and longest cooldown, in ms. */
export const BREAKER_COOLDOWN_MS = 500;
export const BREAKER_MAX_COOLDOWN_MS = 15_000;

/** Keeps calls away from a store that does not answer. Time and randomness are arguments. */
export class Breaker {
  #failures = 0;
  #cooldownMs = BREAKER_COOLDOWN_MS;
  #openUntilMs = Number.NEGATIVE_INFINITY;
  #state: 'closed' | 'open' | 'half-open' = 'closed';

  get state(): 'closed' | 'open' | 'half-open' {
    return this.#state;
  }

  /** Whether a call may go out now. In `open`, the first call after the cooldown is the trial. */
  admits(nowMs: number): boolean {
    if (this.#state === 'closed') return true;
    // A clock that was set back must not keep the breaker open for ever.
    const waits = nowMs < this.#openUntilMs && this.#openUntilMs - nowMs <= BREAKER_MAX_COOLDOWN_MS;
    if (this.#state === 'half-open' || waits) return false;
    this.#state = 'half-open';
    return true;
  }

  /** Ms until the next trial; 0 when calls may go out. */
  retryInMs(nowMs: number): number {
    return this.#state === 'closed' ? 0 : Math.max(1, Math.min(this.#openUntilMs - nowMs, BREAKER_MAX_COOLDOWN_MS));
  }

  /** A call succeeded; says whether that closed the breaker. */
  succeeded(): boolean {
    const closed = this.#state !== 'closed';
    this.#state = 'closed';
    this.#failures = 0;
    this.#cooldownMs = BREAKER_COOLDOWN_MS;
    return closed;
  }

  /** A call failed; says whether that opened the breaker. `random` in [0, 1) spreads the trials of many processes. */
  failed(nowMs: number, random: number): boolean {
    this.#failures += 1;
    if (this.#state === 'open' || (this.#state === 'closed' && this.#failures < BREAKER_FAILURES)) return false;
    const opened = this.#state === 'closed';
    if (!opened) this.#cooldownMs = Math.min(BREAKER_MAX_COOLDOWN_MS, this.#cooldownMs * 2);
    this.#state = 'open';
    this.#openUntilMs = nowMs + this.#cooldownMs * (0.5 + random / 2);
    return opened;
  }
}
