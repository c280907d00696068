import type { Breaker } from './breaker.ts';
import type { Decision, Place } from './decision.ts';
import type { Deadline } from './deadlines.ts';
import type { Period } from './periods.ts';
import type { QuotaRules } from './rules.ts';
import type { HeldCounter, Memo } from './store.ts';

/** A period with the deadline of its counters. */
export interface DatedPeriod extends Period {
  readonly deadline: Deadline;
}

/** A part of the store that fails as one: a node of a cluster, or the whole. */
export interface Lane {
  readonly name: string;
  readonly breaker: Breaker;
}

/** A take that waits for its decision. */
export interface WaitingTake {
  readonly cost: number;
  readonly limit: number;
  /** When it was asked for, in ms. */
  readonly atMs: number;
  readonly answer: (decision: Decision) => void;
  /** It was refused before and tried again because an expired reservation made room. */
  retried: boolean;
}

/** For how long a total counts as just seen, in ms; then the store is asked to look at the deadline again. */
const SEEN_FRESH_MS = 5_000;

/** What this process knows of one counter: nothing here decides alone, losing it costs a question to the store. */
export class Counter implements Memo {
  // What a take that is decided at once looks at stands together: with many counters, reading memory is most of its cost.
  /** Where a store in this process keeps it. */
  place: HeldCounter | undefined = undefined;
  /** Neither blocks nor reservations nor shadow: what fits is charged and that is all. */
  readonly plain: boolean;
  /** In the list of the next tick. */
  queued = false;
  /** A draw is on its way; takes wait for it and travel together with the next one. */
  inFlight = false;
  /** Admitted without the store and to be charged when it is back. */
  owed = 0;
  /** Last total heard from the store. */
  total: number | undefined = undefined;
  /** What its decisions share. */
  readonly label: Place;
  readonly rules: QuotaRules;
  readonly subject: string;
  /** All keys of this subject begin with it. */
  readonly prefix: string;
  readonly key: string;
  readonly period: DatedPeriod;
  readonly lane: Lane;
  waiting: WaitingTake[] = [];
  /** The last draw of several costs at once did not fit: draw one by one. */
  splitNext = false;
  /** When the total was heard, in ms. */
  totalAtMs = 0;
  /** Until this time a cost that did not fit into what this total left is refused here. */
  refusedTotal = 0;
  recheckAtMs: number = Number.NEGATIVE_INFINITY;
  /** Drawn from the store and not yet spent. */
  lease = 0;
  leaseUsedAtMs = 0;
  /** Admitted while it is unknown whether the store charged it. */
  unknown = 0;
  /** Admitted without the store in this period, all told. */
  outageSpent = 0;

  constructor(rules: QuotaRules, subject: string, prefix: string, period: DatedPeriod, lane: Lane, by: string) {
    this.rules = rules;
    this.subject = subject;
    this.prefix = prefix;
    this.key = prefix + period.id;
    this.period = period;
    this.lane = lane;
    this.plain = rules.lease === 0 && rules.reservationMs === undefined && !rules.shadow;
    this.label = { quota: rules.id, subject, period: period.id, resetAt: period.endMs, by };
  }

  /** Nothing waits, travels or is owed: a take may be decided at once. */
  get quiet(): boolean {
    return this.owed === 0 && !this.queued && !this.inFlight;
  }

  /** Nothing would be lost by forgetting it. */
  get idle(): boolean {
    return this.waiting.length === 0 && !this.inFlight && !this.queued && this.lease === 0 && this.owed === 0;
  }

  /** The hint for a draw; `undefined` when the total was not seen lately. */
  seen(nowMs: number): number | undefined {
    // A total of 0 may be that of an absent counter, which has no deadline to vouch for.
    return this.total !== undefined && this.total > 0 && nowMs - this.totalAtMs < SEEN_FRESH_MS
      ? this.total
      : undefined;
  }

  heard(total: number, nowMs: number): void {
    this.total = total;
    this.totalAtMs = nowMs;
    this.unknown = 0;
    if (this.recheckAtMs > nowMs) this.refusedTotal = total;
  }

  refuse(total: number, nowMs: number): void {
    this.refusedTotal = total;
    this.recheckAtMs = nowMs + this.rules.denyRecheckMs;
  }

  /** A recent refusal that a take of this cost would meet again. */
  refuses(cost: number, limit: number, nowMs: number): boolean {
    return nowMs < this.recheckAtMs && cost > limit - this.refusedTotal;
  }

  /** Room may have appeared: ask the store again. */
  reopen(): void {
    this.recheckAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Best guess of the total while the store is silent. */
  get estimate(): number {
    return (this.total ?? 0) + this.owed + this.unknown;
  }

  /** Forgets everything but takes under way: the counter was reset. */
  forget(): void {
    this.total = undefined;
    this.lease = 0;
    this.owed = 0;
    this.unknown = 0;
    this.outageSpent = 0;
    this.reopen();
  }
}
