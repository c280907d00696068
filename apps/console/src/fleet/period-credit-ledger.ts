import { counterKey, periodAt, periodDeadline, zoneNamed, type Period } from '@weir/quota';
import type { CreditLease, CreditLedger, InheritedLease, LeaseHolder, LedgerTier } from '../ports/credit-ledger.ts';
import { LedgerUnavailable } from '../ports/credit-ledger.ts';
import { asked, LedgerContinuity, type Proof } from './ledger-continuity.ts';
import { LeaseRecords } from './lease-records.ts';

const QUOTA_ID = 'governor-grants';
const SUBJECT = 'fleet';
/** Counters are kept for so long after their period, in ms: what comes late must find them. */
const MARGIN_MS = 60_000;
const UTC = zoneNamed('UTC');

/** How the ledger is doing has changed. */
export type LedgerNews = { readonly available: true } | { readonly available: false; readonly error: unknown };

interface Part {
  readonly period: Period;
  readonly credits: number;
}

/**
 * Leases credits from period counters of the quota engine's store: one counter per period of a window's length, the budget
 * of a window as its limit. A lease is counted in every period that it touches, so at any instant the counter of the
 * running period holds at least all leases that are live, and never more than the budget.
 *
 * A lease that ends early is given back to the periods that are still to end. One that is never ended (an agent that was
 * killed, an answer that was lost, a console that died) simply runs out with its periods: nothing has to clean up.
 *
 * Periods are told by the store's clock alone, so consoles whose clocks are wrong lease from the same counters. The clock is
 * read after the agent asked, and the agent counts from when it asked: it stops first.
 */
export class PeriodCreditLedger implements CreditLedger {
  readonly #store: LedgerTier['store'];
  readonly #seconds: number;
  readonly #leaseMs: number;
  readonly #continuity: LedgerContinuity;
  readonly #records: LeaseRecords | null;
  readonly #onNews: (news: LedgerNews) => void;
  readonly #ended = new WeakSet<CreditLease>();
  #available = true;
  #keeping: Promise<void> | null = null;

  /**
   * @param options.windowSeconds length of a window; periods are whole seconds, so it is rounded up.
   * @param options.leaseMs how long a grant is live at most.
   * @param options.shared consoles lease from the same store, after each other: leases are written down for the next one.
   */
  constructor(options: {
    tier: LedgerTier;
    windowSeconds: number;
    leaseMs: number;
    steadyMs: () => number;
    shared: boolean;
    onNews?: (news: LedgerNews) => void;
  }) {
    const { tier, windowSeconds, leaseMs, steadyMs } = options;
    this.#store = tier.store;
    this.#seconds = Math.max(1, Math.ceil(windowSeconds));
    this.#leaseMs = leaseMs;
    this.#continuity = new LedgerContinuity({ tier, windowSeconds, leaseMs, steadyMs });
    this.#records = options.shared ? new LeaseRecords(tier.store) : null;
    this.#onNews = options.onNews ?? (() => undefined);
  }

  get ready(): boolean {
    return this.#available && this.#continuity.ready;
  }

  begin(mayBeHeld: boolean): void {
    this.#continuity.begin(mayBeHeld);
    void this.keep();
  }

  keep(): Promise<void> {
    this.#keeping ??= this.#watched(() => this.#continuity.keep())
      .catch(() => undefined)
      .finally(() => {
        this.#keeping = null;
      });
    return this.#keeping;
  }

  lease(holder: LeaseHolder, wantedCredits: number, budgetCredits: number): Promise<CreditLease | null> {
    return this.#watched(async () => {
      const proof = await this.#continuity.prove();
      const { nowMs, ledgerId } = proof;
      if (!proof.ready) return null;
      const lease = { ...holder, credits: 0, fromMs: nowMs, untilMs: nowMs + this.#leaseMs, ledgerId };
      if (wantedCredits === 0) return lease;
      const drawn = await this.#draw(this.#periods(nowMs, lease.untilMs), wantedCredits, budgetCredits, nowMs);
      const given = { ...lease, credits: Math.min(...drawn.map(({ credits }) => credits)) };
      const [proven] = await Promise.all([this.#continuity.holds(proof), this.#write(given)]);
      // The counters that were drawn from are not those that know of all other leases.
      if (!proven) return null;
      await this.#giveBack(
        drawn.map(({ period, credits }) => ({ period, credits: credits - given.credits })),
        nowMs,
      );
      return given;
    });
  }

  async end(lease: CreditLease): Promise<void> {
    if (lease.credits === 0 || this.#ended.has(lease)) return;
    // Before anything is asked: an answer that is lost must not make it end twice.
    this.#ended.add(lease);
    await this.#watched(async () => {
      const proof = await this.#continuity.prove();
      if (!mayEnd(lease, proof)) return;
      if (this.#records !== null && !(await asked(async () => this.#records?.end(lease, proof.nowMs)))) return;
      const periods = this.#periods(Math.max(lease.fromMs, proof.nowMs), lease.untilMs);
      await this.#giveBack(
        periods.map((period) => ({ period, credits: lease.credits })),
        proof.nowMs,
      );
    }).catch(() => undefined);
  }

  inherited(agentId: string): Promise<InheritedLease | null> {
    const records = this.#records;
    if (records === null) return Promise.resolve(null);
    return this.#watched(async () => {
      const lease = await asked(() => records.read(agentId));
      const proof = await this.#continuity.prove();
      if (lease === null || !mayEnd(lease, proof)) return null;
      return { lease, leftMs: lease.untilMs - proof.nowMs };
    });
  }

  /** As much as is free in every period; what is drawn beyond the least is given back by the caller. */
  async #draw(periods: readonly Period[], wanted: number, limit: number, nowMs: number): Promise<Part[]> {
    const draws = periods.map((period) => ({
      key: keyOf(period),
      amount: wanted,
      unit: 1,
      limit,
      deadline: periodDeadline(period.endMs, MARGIN_MS, nowMs),
    }));
    const drawn = await asked(() => this.#store.take(draws));
    const failure = drawn.find((each) => each instanceof Error);
    if (failure !== undefined) return asked(() => Promise.reject(failure));
    return periods.map((period, index) => {
      const each = drawn[index];
      return { period, credits: each === undefined || each instanceof Error ? 0 : each.granted };
    });
  }

  /** What cannot be written down can only run out. */
  async #write(lease: CreditLease): Promise<void> {
    if (this.#records === null || lease.credits === 0) return;
    await this.#records.write(lease, lease.fromMs).catch(() => undefined);
  }

  /** Once: what may have been given back is never given back again. What was not runs out. */
  async #giveBack(parts: readonly Part[], nowMs: number): Promise<void> {
    const returns = parts
      .filter(({ period, credits }) => credits > 0 && period.endMs > nowMs)
      .map(({ period, credits }) => ({
        key: keyOf(period),
        amount: credits,
        deadline: periodDeadline(period.endMs, MARGIN_MS, nowMs),
      }));
    if (returns.length > 0) await this.#store.giveBack(returns).catch(() => undefined);
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

  async #watched<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await call();
      if (!this.#available) this.#onNews({ available: true });
      this.#available = true;
      return answer;
    } catch (error) {
      if (this.#available && error instanceof LedgerUnavailable) {
        this.#available = false;
        this.#onNews({ available: false, error });
      }
      throw error;
    }
  }
}

/** A lease that another ledger counts, or that has run out, leaves nothing to give back. */
function mayEnd(lease: CreditLease, { ledgerId, nowMs }: Proof): boolean {
  return lease.ledgerId === ledgerId && nowMs < lease.untilMs;
}

function keyOf(period: Period): string {
  return counterKey(QUOTA_ID, SUBJECT, period.id);
}
