/**
 * Why a call failed. A refused take is no failure: it is a decision with `allowed: false`.
 *
 * - `invalid-quota`: the definition is wrong; `problems` lists everything that is.
 * - `invalid-cost`: a cost or limit is no positive whole number below 2^53.
 * - `invalid-subject`: the subject is empty or no string.
 * - `invalid-deadline`: a deadline has passed, is no whole number of ms, or lies past the year 9999.
 * - `invalid-argument`: another argument is wrong; the message says which.
 * - `store-refused`: the store cannot keep this quota's promise (a plain opaque store without `accuracy: "approximate"`).
 * - `store-unavailable`: the store failed or was not asked because its breaker is open.
 * - `store-timeout`: the store did not answer within the budget.
 * - `store-corrupt`: the store holds something under this key that is no counter of this quota.
 * - `idempotency-mismatch`: the idempotency key was used before for another take.
 * - `too-many-reservations`: the subject holds as many open reservations as fit in one period.
 * - `closed`: the engine was closed.
 */
export type QuotaErrorCode = (typeof QUOTA_ERROR_CODES)[number];

/** Every code that a `QuotaError` can have. */
export const QUOTA_ERROR_CODES = [
  'invalid-quota',
  'invalid-cost',
  'invalid-subject',
  'invalid-deadline',
  'invalid-argument',
  'store-refused',
  'store-unavailable',
  'store-timeout',
  'store-corrupt',
  'idempotency-mismatch',
  'too-many-reservations',
  'closed',
] as const;

/** What a `QuotaError` may carry beside its message. */
export interface QuotaErrorDetail {
  /** Everything that is wrong, one sentence each; for `invalid-quota`. */
  readonly problems?: readonly string[];
  /** The failure underneath. */
  readonly cause?: unknown;
}

/** The error that the engine and the stores throw. `code` is stable; the message is for people. */
export class QuotaError extends Error {
  /** Stable reason. */
  readonly code: QuotaErrorCode;
  /** Everything that is wrong, one sentence each; empty unless the code is `invalid-quota`. */
  readonly problems: readonly string[];

  constructor(code: QuotaErrorCode, message: string, detail: QuotaErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'QuotaError';
    this.code = code;
    this.problems = detail.problems ?? [];
  }
}
