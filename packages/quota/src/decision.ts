/**
 * Who decided.
 *
 * - `store`: the shared counter. `approximate`: the same on a store that loses updates.
 * - `lease`: this process, out of a block it drew before. `deny-cache`: this process, repeating a recent refusal.
 * - `rule`: the definition alone: the cost is larger than the limit.
 * - `outage-…`: this process, by the quota's outage policy, because the store did not answer.
 */
export type Source =
  | 'store'
  | 'approximate'
  | 'lease'
  | 'deny-cache'
  | 'rule'
  | 'outage-open'
  | 'outage-closed'
  | 'outage-local-share'
  | 'outage-last-known';

/** Names one admitted take, as plain data: keep or send it to refund the take later, from any process. */
export interface Receipt {
  readonly quota: string;
  readonly subject: string;
  readonly charged: number;
  /** Id of the period in which it was taken. */
  readonly period: string;
  /** End of that period, in ms since 1970. */
  readonly resetAt: number;
  /** When it was taken, in ms since 1970. */
  readonly takenAt: number;
  readonly id: string;
}

/** What all decisions on one counter share. */
export interface Place {
  readonly quota: string;
  readonly subject: string;
  /** Id of the period. */
  readonly period: string;
  /** End of the period, in ms since 1970. */
  readonly resetAt: number;
  /** The engine that decides here. */
  readonly by: string;
}

/** What was found out about a take. */
export interface Verdict {
  readonly allowed: boolean;
  readonly used: number;
  readonly limit: number;
  readonly cost: number;
  /** What the counter was charged. */
  readonly charged: number;
  readonly source: Source;
  /** A quota in shadow allowed what it would have refused. */
  readonly wouldRefuse: boolean;
  readonly replayed: boolean;
}

/** The answer to a take. "No" is a value: `allowed` is false and nothing was spent. */
export class Decision {
  readonly allowed: boolean;
  /** Spent in this period, by all servers, after this take. May exceed the limit when the limit was lowered, in shadow, or after an outage. */
  readonly used: number;
  readonly limit: number;
  /** When to try again, in ms from the decision; 0 when allowed. */
  readonly retryAfterMs: number;
  readonly source: Source;
  readonly cost: number;
  /** What the counter was charged for this take: its cost, or 0. Decisions by an outage policy say 0 and cannot be refunded. */
  readonly charged: number;
  /** When it was decided, in ms since 1970. */
  readonly takenAt: number;
  /** A quota in shadow allowed what it would have refused. */
  readonly wouldRefuse: boolean;
  /** The idempotency key was seen before; nothing was charged now. */
  readonly replayed: boolean;
  /** Quota, subject and period. */
  readonly place: Place;
  /** With the engine that decided the identity of this take; for an idempotent take its key. */
  readonly number: number | string;

  constructor(place: Place, verdict: Verdict, takenAt: number, retryAfterMs: number, number: number | string) {
    this.allowed = verdict.allowed;
    this.used = verdict.used;
    this.limit = verdict.limit;
    this.retryAfterMs = retryAfterMs;
    this.source = verdict.source;
    this.cost = verdict.cost;
    this.charged = verdict.charged;
    this.takenAt = takenAt;
    this.wouldRefuse = verdict.wouldRefuse;
    this.replayed = verdict.replayed;
    this.place = place;
    this.number = number;
  }

  /** What can still be taken, never below 0. */
  get remaining(): number {
    return this.limit > this.used ? this.limit - this.used : 0;
  }

  /** End of the period, in ms since 1970. */
  get resetAt(): number {
    return this.place.resetAt;
  }

  get quota(): string {
    return this.place.quota;
  }

  get subject(): string {
    return this.place.subject;
  }

  /** Id of the period that was charged. */
  get period(): string {
    return this.place.period;
  }

  /** What `JSON.stringify` writes: all that a caller of an API may want to know. */
  toJSON(): Record<string, string | number | boolean> {
    const { allowed, used, remaining, limit, resetAt, retryAfterMs, source, quota, subject, period } = this;
    const { cost, charged, takenAt, wouldRefuse, replayed } = this;
    const asked = { quota, subject, period, cost, charged, takenAt, wouldRefuse, replayed };
    return { allowed, used, remaining, limit, resetAt, retryAfterMs, source, ...asked };
  }

  /** Plain data that names this take, for a refund from another process. */
  get receipt(): Receipt {
    const { charged, takenAt, number } = this;
    const { quota, subject, period, resetAt, by } = this.place;
    // An idempotent take and its repetitions are one take, whoever decided them.
    const id = typeof number === 'string' ? `once-${number}` : `${by}-${number}`;
    return { quota, subject, period, resetAt, charged, takenAt, id };
  }
}
