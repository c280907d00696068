import { limitOf, type QuotaCore } from './core.ts';
import { charge } from './charge.ts';
import type { Decision, Receipt } from './decision.ts';
import { QuotaError } from './errors.ts';
import { explain, type Explanation } from './explain.ts';
import { peek, type Usage } from './peek.ts';
import { refund, type Refund } from './refund.ts';
import { reserve, settle, type Reservation, type Settlement } from './reserve.ts';
import { reset } from './reset.ts';
import type { QuotaRules } from './rules.ts';
import { takeGroup } from './take-all.ts';
import { takeNow, takeOne } from './take.ts';

/** What a take may carry. */
export interface TakeOptions {
  /** Repetitions of a take under the same key are charged once; 1 to 1,024 characters. Remembered until the period's deadline. */
  readonly idempotencyKey?: string;
}

/** A quota that was defined: this subject may do this much in this period. Made by `Quotas.define`. */
export class Quota {
  readonly #core: QuotaCore;

  constructor(core: QuotaCore) {
    this.#core = core;
  }

  get id(): string {
    return this.#core.rules.id;
  }

  /** The checked definition with its defaults. */
  get rules(): QuotaRules {
    return this.#core.rules;
  }

  /** The limit of a subject, by the definition or its plan. @throws {QuotaError} `invalid-cost` when the plan gives no limit. */
  async limitOf(subject: string): Promise<number> {
    return limitOf(this.#core, this.#core.tracker.charged(subject));
  }

  /** The engine's view of this quota; for `Quotas.takeAll`. */
  static coreOf(quota: Quota): QuotaCore {
    return quota.#core;
  }

  /**
   * Charges `cost` to the subject's counter of the current period, or refuses and charges nothing.
   * @param subject account, credential, tenant, network address: any non-empty text.
   * @param cost positive whole number, default 1.
   * @throws {QuotaError} `invalid-cost`, `invalid-subject`, `closed`, `idempotency-mismatch`. A store that does not answer is no
   *   error: the outage policy decides and `source` says so.
   */
  take(subject: string, cost: number = 1, options?: TakeOptions): Promise<Decision> {
    const idempotencyKey = options?.idempotencyKey;
    if (idempotencyKey === undefined) return takeOne(this.#core, subject, cost);
    return this.#takeOnce(subject, cost, idempotencyKey);
  }

  /**
   * As `take`, without a promise, when this process can decide alone: the store lives in it (memory), it holds a block (`lease`),
   * or it repeats a refusal. Some times faster than `take` there.
   * @returns `undefined` when the store must be asked: call `take`.
   * @throws {QuotaError} as `take`.
   */
  takeNow(subject: string, cost: number = 1): Decision | undefined {
    return takeNow(this.#core, subject, cost);
  }

  /**
   * Charges what was done already, whatever the limit says: an import, or use that was measured afterwards.
   * @throws {QuotaError} as `peek`, when the store does not answer; it may then have been charged or not.
   */
  charge(subject: string, amount: number): Promise<Usage> {
    return charge(this.#core, subject, amount);
  }

  /** Where the subject stands, without charging. @throws {QuotaError} `store-unavailable`, `store-timeout`. */
  peek(subject: string): Promise<Usage> {
    return peek(this.#core, subject);
  }

  /**
   * Gives back what an admitted take was charged, to the period in which it was charged, at most once.
   * @param take the decision, or its `receipt` when the refund comes from another process.
   * @param amount at most what was charged; default all of it.
   */
  refund(take: Decision | Receipt, amount?: number): Promise<Refund> {
    return refund(this.#core, take, amount);
  }

  /** Sets the subject's counter of the current period back to zero, by its exact key: no pattern, no neighbour. */
  reset(subject: string): Promise<void> {
    return reset(this.#core, subject);
  }

  /**
   * Sets an amount aside for work whose cost is known only afterwards; then `settle` or `cancel`. Needs `reservationMs`.
   * @throws {QuotaError} `too-many-reservations`, and what `take` throws.
   */
  reserve(subject: string, amount: number): Promise<Reservation> {
    return reserve(this.#core, subject, amount);
  }

  /** Replaces a reserved amount by what was used: the rest goes back, more is charged even above the limit. */
  settle(reservation: Reservation, actual: number): Promise<Settlement> {
    return settle(this.#core, reservation, actual);
  }

  /** Gives a reservation back. */
  cancel(reservation: Reservation): Promise<Settlement> {
    return settle(this.#core, reservation, 0);
  }

  /** Everything that bears on the next take of this subject. */
  explain(subject: string): Promise<Explanation> {
    return explain(this.#core, subject);
  }

  async #takeOnce(subject: string, cost: number, key: string): Promise<Decision> {
    const group = await takeGroup([{ core: this.#core, subject, cost }], checkIdempotencyKey(key));
    const [decision] = group.decisions;
    if (decision === undefined) throw new QuotaError('invalid-argument', 'a group of one has one decision');
    return decision;
  }
}

/** @throws {QuotaError} `invalid-argument` unless it is a text of 1 to 1,024 characters. */
export function checkIdempotencyKey(key: unknown): string {
  if (typeof key === 'string' && key !== '' && key.length <= 1_024) return key;
  throw new QuotaError('invalid-argument', 'an idempotency key is a text of 1 to 1,024 characters');
}
