import { counterKey, periodAt, periodDeadline, zoneNamed, type Period } from '@weir/quota';
import type { CreditLease, CreditLedger, InheritedLease, LeaseHolder, LedgerTier } from '../ports/credit-ledger.ts';
import { LedgerUnavailable } from '../ports/credit-ledger.ts';
import { asked, LedgerContinuity, type Proof } from './ledger-continuity.ts';
import { LeaseRecords } from './lease-records.ts';
import { SharedBatch } from './shared-batch.ts';

const QUOTA_ID = 'governor-grants';
const SUBJECT = 'fleet';
/** Counters are kept for so long after their period, in ms: what comes late must find them. */
const MARGIN_MS = 60_000;
const PERIODS_KNOWN = 4;
const UTC = zoneNamed('UTC');

/** How the ledger is doing has changed. */
export type LedgerNews = { readonly available: true } | { readonly available: false; readonly error: unknown };

/** Leases that are given, or ended, by the calls of one go at most. */
const MOST_TOGETHER = 500;

interface Wanted {
  readonly holder: LeaseHolder;
  readonly wantedCredits: number;
  readonly budgetCredits: number;
}

interface Leased {
  readonly lease: CreditLease | null;
}

const NOT_NOW: Leased = { lease: null };

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
  readonly #leases = new SharedBatch((wanted: readonly Wanted[]) => this.#leaseAll(wanted), MOST_TOGETHER);
  readonly #ends = new SharedBatch((leases: readonly CreditLease[]) => this.#endAll(leases), MOST_TOGETHER);
  /** Periods that were asked for last: every heartbeat asks for the same ones. */
  #known: readonly Period[] = [];
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

  async lease(holder: LeaseHolder, wantedCredits: number, budgetCredits: number): Promise<CreditLease | null> {
    const { lease } = await this.#leases.ask({ holder, wantedCredits, budgetCredits });
    return lease;
  }

  async end(lease: CreditLease): Promise<void> {
    if (lease.credits === 0 || lease.ended) return;
    // Before anything is asked: an answer that is lost must not make it end twice.
    lease.ended = true;
    await this.#ends.ask(lease).catch(() => undefined);
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

  /** Heartbeats that come together are answered together: each step of a lease is one call for all of them. */
  #leaseAll(wanted: readonly Wanted[]): Promise<readonly Leased[]> {
    return this.#watched(async () => {
      const proof = await this.#continuity.prove();
      const { nowMs, ledgerId } = proof;
      if (!proof.ready) return wanted.map(() => NOT_NOW);
      const untilMs = nowMs + this.#leaseMs;
      const periods = this.#periods(nowMs, untilMs);
      const drawn = await this.#draw(periods, wanted, nowMs);
      const leases = wanted.map(({ holder }, index): CreditLease => {
        const credits = Math.min(...(drawn[index] ?? [0]));
        return { ...holder, credits, fromMs: nowMs, untilMs, ledgerId, ended: false };
      });
      const [proven] = await Promise.all([this.#continuity.holds(proof), ...leases.map((lease) => this.#write(lease))]);
      // The counters that were drawn from are not those that know of all other leases.
      if (!proven) return wanted.map(() => NOT_NOW);
      const tooMuch = leases.flatMap(({ credits }, index) =>
        periods.map((period, n) => ({ period, credits: (drawn[index]?.[n] ?? 0) - credits })),
      );
      await this.#giveBack(tooMuch, nowMs);
      return leases.map((lease) => ({ lease }));
    });
  }

  #endAll(leases: readonly CreditLease[]): Promise<readonly true[]> {
    return this.#watched(async () => {
      const proof = await this.#continuity.prove();
      const { nowMs } = proof;
      const mine = leases.filter((lease) => mayEnd(lease, proof));
      const ended = await Promise.allSettled(mine.map((lease) => this.#endRecord(lease, nowMs)));
      const parts = mine
        .filter((_, index) => ended[index]?.status === 'fulfilled' && ended[index].value)
        .flatMap(({ fromMs, untilMs, credits }) =>
          this.#periods(Math.max(fromMs, nowMs), untilMs).map((period) => ({ period, credits })),
        );
      await this.#giveBack(parts, nowMs);
      // Said once they are given back that could be ended.
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
      return leases.map(() => true as const);
    });
  }

  /** As much as is free in every period, for each; what is drawn beyond the least is given back by the caller. */
  async #draw(periods: readonly Period[], wanted: readonly Wanted[], nowMs: number): Promise<readonly number[][]> {
    const draws = wanted.flatMap(({ wantedCredits, budgetCredits }) =>
      (wantedCredits === 0 ? [] : periods).map((period) => ({
        key: keyOf(period),
        amount: wantedCredits,
        unit: 1,
        limit: budgetCredits,
        deadline: periodDeadline(period.endMs, MARGIN_MS, nowMs),
      })),
    );
    const drawn = draws.length === 0 ? [] : await asked(() => this.#store.take(draws));
    const failure = drawn.find((each) => each instanceof Error);
    if (failure !== undefined) return asked(() => Promise.reject(failure));
    let next = 0;
    return wanted.map(({ wantedCredits }) =>
      periods.map(() => {
        const each = wantedCredits === 0 ? undefined : drawn[next++];
        return each === undefined || each instanceof Error ? 0 : each.granted;
      }),
    );
  }

  /** What cannot be written down can only run out. */
  async #write(lease: CreditLease): Promise<void> {
    if (this.#records === null || lease.credits === 0) return;
    await this.#records.write(lease, lease.fromMs).catch(() => undefined);
  }

  /** @returns whether it is for this console to give it back */
  async #endRecord(lease: CreditLease, nowMs: number): Promise<boolean> {
    const records = this.#records;
    return records === null || asked(() => records.end(lease, nowMs));
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
      const period = this.#periodAt(atMs);
      periods.push(period);
      atMs = period.endMs;
    }
    return periods;
  }

  #periodAt(atMs: number): Period {
    const known = this.#known.find(({ startMs, endMs }) => startMs <= atMs && atMs < endMs);
    if (known !== undefined) return known;
    const period = periodAt({ unit: 'second', count: this.#seconds }, UTC, atMs);
    this.#known = [period, ...this.#known.slice(0, PERIODS_KNOWN - 1)];
    return period;
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
