import type { Dispatcher } from './dispatcher.ts';
import type { Engine } from './engine.ts';
import { QuotaError } from './errors.ts';
import type { HoldLedgers } from './hold-ledgers.ts';
import { isLimit, type QuotaRules } from './rules.ts';
import type { StoreClock } from './store-clock.ts';
import type { CounterTracker } from './tracker.ts';

/** One quota inside the engine; the verbs (`take.ts`, `refund.ts`, …) work on it. */
export interface QuotaCore {
  readonly rules: QuotaRules;
  readonly engine: Engine;
  readonly tracker: CounterTracker;
  readonly dispatcher: Dispatcher;
  readonly ledgers: HoldLedgers;
  readonly storeClock: StoreClock;
  /** The clock that says which period it is. */
  readonly now: () => number;
  readonly isClosed: () => boolean;
}

/** @throws {QuotaError} `invalid-cost` unless it is a positive whole number below 2^53. */
export function checkCost(cost: unknown, what: string): asserts cost is number {
  if (typeof cost === 'number' && Number.isSafeInteger(cost) && cost > 0) return;
  throw new QuotaError('invalid-cost', `${what} must be a positive whole number below 2^53, got ${String(cost)}`);
}

/**
 * The limit of a subject: at once when the rules or the plan give a number, else when the plan's promise does.
 * @throws {QuotaError} `invalid-cost` when the plan gives no whole number from 0 to 2^53 - 1.
 */
export function limitOf(core: QuotaCore, subject: string): number | Promise<number> {
  const { limit } = core.rules;
  if (typeof limit === 'number') return limit;
  const planned = limit(subject);
  if (typeof planned !== 'object') return checkLimit(core, planned);
  return planned.then((later) => checkLimit(core, later));
}

function checkLimit(core: QuotaCore, limit: unknown): number {
  if (isLimit(limit)) return limit;
  throw new QuotaError(
    'invalid-cost',
    `the limit function of quota ${JSON.stringify(core.rules.id)} must give a whole number from 0 to 2^53 - 1, got ${String(limit)}`,
  );
}

/** @throws {QuotaError} `closed` after `Quotas.close`. */
export function checkOpen(core: QuotaCore): void {
  if (core.isClosed()) throw new QuotaError('closed', 'the quotas were closed');
}

/** Waits until the quota's clock can be read: which period it is cannot be said before the store's clock was asked once. */
export async function knowTime({ rules, storeClock }: QuotaCore): Promise<void> {
  if (rules.storeClock && !storeClock.known) await storeClock.measure();
}
