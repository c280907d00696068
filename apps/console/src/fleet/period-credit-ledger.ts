import { counterKey, periodAt, periodDeadline, zoneNamed, type Period, type Store } from '@weir/quota';
import type { CreditLedger, LeasedCredits } from '../ports/credit-ledger.ts';

const QUOTA_ID = 'governor-grants';
const SUBJECT = 'fleet';
/** Counters are kept for so long after their period, in ms: what comes late must find them. */
const MARGIN_MS = 60_000;
const UTC = zoneNamed('UTC');

/**
 * Leases credits from period counters of the quota engine's store: one counter per period of a window's length, the budget
 * of a window as its limit. A lease is counted in every period that it touches, so at any instant the counter of the
 * running period holds at least all leases that are live, and never more than the budget.
 *
 * A lease that ends early is given back to the periods that are still to end. One that is never ended (an agent that was
 * killed, an answer that was lost, a console that died) simply runs out with its periods: nothing has to clean up.
 */
export class PeriodCreditLedger implements CreditLedger {
  readonly #store: Pick<Store, 'take' | 'giveBack'>;
  readonly #seconds: number;

  /** @param windowSeconds length of a window; periods are whole seconds, so it is rounded up. */
  constructor(store: Pick<Store, 'take' | 'giveBack'>, windowSeconds: number) {
    this.#store = store;
    this.#seconds = Math.max(1, Math.ceil(windowSeconds));
  }

  async lease(wantedCredits: number, budgetCredits: number, nowMs: number, untilMs: number): Promise<LeasedCredits> {
    const lease = { fromMs: nowMs, untilMs };
    const drawn: { period: Period; credits: number }[] = [];
    let credits = wantedCredits;
    for (const period of this.#periods(nowMs, untilMs)) {
      // As much as is free in every period: a later one can only make it less.
      credits = credits > 0 ? await this.#draw(period, credits, budgetCredits, nowMs) : 0;
      drawn.push({ period, credits });
    }
    await this.#giveBack(
      drawn.map((each) => ({ period: each.period, credits: each.credits - credits })),
      nowMs,
    );
    return { ...lease, credits };
  }

  async end(lease: LeasedCredits, nowMs: number): Promise<void> {
    const periods = this.#periods(Math.max(lease.fromMs, nowMs), lease.untilMs);
    await this.#giveBack(
      periods.map((period) => ({ period, credits: lease.credits })),
      nowMs,
    );
  }

  async #draw(period: Period, amount: number, limit: number, nowMs: number): Promise<number> {
    const deadline = periodDeadline(period.endMs, MARGIN_MS, nowMs);
    const [drawn] = await this.#store.take([{ key: keyOf(period), amount, unit: 1, limit, deadline }]);
    if (drawn instanceof Error) throw drawn;
    return drawn?.granted ?? 0;
  }

  async #giveBack(parts: readonly { period: Period; credits: number }[], nowMs: number): Promise<void> {
    const returns = parts
      .filter(({ period, credits }) => credits > 0 && period.endMs > nowMs)
      .map(({ period, credits }) => ({
        key: keyOf(period),
        amount: credits,
        deadline: periodDeadline(period.endMs, MARGIN_MS, nowMs),
      }));
    if (returns.length > 0) await this.#store.giveBack(returns);
  }

  /** Periods that a stretch of time touches. */
  #periods(fromMs: number, untilMs: number): Period[] {
    const periods: Period[] = [];
    for (let atMs = fromMs; atMs < untilMs;) {
      const period = periodAt({ unit: 'second', count: this.#seconds }, UTC, atMs);
      periods.push(period);
      atMs = period.endMs;
    }
    return periods;
  }
}

function keyOf(period: Period): string {
  return counterKey(QUOTA_ID, SUBJECT, period.id);
}
