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

/** What the parts of a decision are; see `Decision`. */
export interface DecisionParts {
  allowed: boolean;
  charged: number;
  wouldRefuse: boolean;
  used: number;
  limit: number;
  source: Source;
  quota: string;
  subject: string;
  cost: number;
  period: string;
  resetAt: number;
  takenAt: number;
  retryAfterMs: number;
  replayed: boolean;
  engine: string;
  number: number | string;
}

/** The answer to a take. "No" is a value: `allowed` is false and nothing was spent. */
export class Decision {
  readonly allowed: boolean;
  /** Spent in this period, by all servers, after this take. May exceed the limit when the limit was lowered, in shadow, or after an outage. */
  readonly used: number;
  /** What can still be taken, never below 0. */
  readonly remaining: number;
  readonly limit: number;
  /** End of the period, in ms since 1970. */
  readonly resetAt: number;
  /** When to try again, in ms from the decision; 0 when allowed. */
  readonly retryAfterMs: number;
  readonly source: Source;
  readonly quota: string;
  readonly subject: string;
  readonly cost: number;
  /** What the counter was charged for this take: its cost, or 0. Decisions by an outage policy say 0 and cannot be refunded. */
  readonly charged: number;
  /** Id of the period that was charged. */
  readonly period: string;
  /** When it was decided, in ms since 1970. */
  readonly takenAt: number;
  /** A quota in shadow allowed what it would have refused. */
  readonly wouldRefuse: boolean;
  /** The idempotency key was seen before; nothing was charged now. */
  readonly replayed: boolean;
  /** With `number` the identity of this take. */
  readonly engine: string;
  readonly number: number | string;

  constructor(parts: DecisionParts) {
    this.allowed = parts.allowed;
    this.used = parts.used;
    this.remaining = parts.limit > parts.used ? parts.limit - parts.used : 0;
    this.limit = parts.limit;
    this.resetAt = parts.resetAt;
    this.retryAfterMs = parts.allowed ? 0 : parts.retryAfterMs;
    this.source = parts.source;
    this.quota = parts.quota;
    this.subject = parts.subject;
    this.cost = parts.cost;
    this.charged = parts.charged;
    this.period = parts.period;
    this.takenAt = parts.takenAt;
    this.wouldRefuse = parts.wouldRefuse;
    this.replayed = parts.replayed;
    this.engine = parts.engine;
    this.number = parts.number;
  }

  /** Plain data that names this take, for a refund from another process. */
  get receipt(): Receipt {
    const { quota, subject, charged, period, resetAt, takenAt } = this;
    return { quota, subject, charged, period, resetAt, takenAt, id: `${this.engine}-${this.number}` };
  }
}
