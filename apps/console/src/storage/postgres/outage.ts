/**
 * Whether the database answers, so that calls fail at once while it does not, instead of each waiting for a time-out.
 *
 *   up ──failed──▶ down ──RETRY_MS──▶ one call is let through ──worked──▶ up
 *                    ▲───────────────────failed───────────────┘
 */

/** Between two attempts to reach a database that was away; every attempt is a call that waits. */
const RETRY_MS = 500;
/** After this a call that was let through and never told how it went is taken for lost, and the next one is let through. */
const TRIAL_MS = 15_000;

/** Keeps calls away from a database that is away. */
export class Outage {
  readonly #changed: (reason: string | null) => void;
  #reason: string | null = null;
  #nextTrialMs = 0;

  /** @param changed told the reason when the database went away, null when it is back */
  constructor(changed: (reason: string | null) => void) {
    this.#changed = changed;
  }

  /** Why the database is away; null while it answers. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Whether a call may be made; while the database is away, one call at a time, and not at once. */
  admits(nowMs: number): boolean {
    if (this.#reason === null) return true;
    if (nowMs < this.#nextTrialMs) return false;
    this.#nextTrialMs = nowMs + TRIAL_MS;
    return true;
  }

  /** The database answered. */
  worked(): void {
    if (this.#reason === null) return;
    this.#reason = null;
    this.#changed(null);
  }

  /** It did not. */
  failed(reason: string, nowMs: number): void {
    const news = this.#reason === null;
    this.#reason = reason;
    this.#nextTrialMs = nowMs + RETRY_MS;
    if (news) this.#changed(reason);
  }
}
