import type { QuotaCore } from './core.ts';
import type { DatedPeriod } from './counter.ts';
import { periodDeadline } from './deadlines.ts';
import { QuotaError } from './errors.ts';
import { periodAt } from './periods.ts';

/**
 * The period that a receipt or reservation names, with its deadline.
 * @throws {QuotaError} `invalid-argument` when this quota has no such period: the receipt is forged, or of another definition.
 */
export function datedPeriod(core: QuotaCore, id: string, resetAt: number): DatedPeriod {
  const { length, zone, marginMs, id: quotaId } = core.rules;
  const period = Number.isSafeInteger(resetAt) ? periodAt(length, zone, resetAt - 1) : undefined;
  if (period?.id !== id || period.endMs !== resetAt) {
    throw new QuotaError(
      'invalid-argument',
      `quota ${JSON.stringify(quotaId)} has no period ${JSON.stringify(id)} that ends at ${resetAt}`,
    );
  }
  return { ...period, deadline: periodDeadline(period.endMs, marginMs, core.now()) };
}
