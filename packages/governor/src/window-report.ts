import type { TransactionType } from './cost-model.ts';

/** Credits for one window, as the coordinator grants them. */
export interface WindowGrant {
  /** One life of the coordinator; numbers begin anew with it. */
  epoch: string;
  /** Whole number ≥ 1 that grows with each grant to an agent in one epoch. */
  windowNumber: number;
  /** Seconds that the credits stand for. */
  windowSeconds: number;
  allocatedTps: number;
  /** Credits: `floor(allocatedTps × windowSeconds)`, or less when the overshoot guard found less free. */
  creditBudget: number;
}

/** How a window is run. */
export interface GrantTerms {
  /** Releases credits evenly at `allocatedTps`, at most this many seconds' worth at once; default: all at the start. */
  pacing?: { readonly burstSeconds: number } | undefined;
  /** When credits that are left become void, on the clock of the window, in ms; default: with the end of the window. */
  validUntilMs?: number | undefined;
}

/** What an agent did in one window. Durations in ms, rates in TPS. */
export interface WindowReport {
  epoch: string;
  windowNumber: number;
  /** From the grant to the end of the window. */
  windowMs: number;
  creditBudget: number;
  /** Credits taken; above `creditBudget` only by the debt of a charge larger than a window. */
  chargedOps: number;
  chargedByType: Record<TransactionType, number>;
  /** Time in which the oldest parked operation lacked credits. */
  exhaustedMs: number;
  /** Time in which the oldest parked operation waited for its slot, though the window had credits for it; 0 without pacing. */
  pacedMs: number;
  /** `chargedOps ÷ active seconds` (D1). */
  actualTps: number;
  /** `chargedOps ÷ window seconds`. */
  meanTps: number;
  /** Most operations charged in one whole second, counted from the start of the window. */
  peakSecondTps: number;
  /** Operations parked when the window ended. */
  parkedOps: number;
}

/** What was counted while a window ran. */
export interface WindowCounts {
  readonly windowMs: number;
  readonly exhaustedMs: number;
  readonly pacedMs: number;
  readonly chargedOps: number;
  readonly chargedByType: Record<TransactionType, number>;
  /** Most operations in a second that has ended, and those of the one that has not. */
  readonly peakSecondOps: number;
  readonly lastSecondOps: number;
  readonly parkedOps: number;
}

/**
 * Shortest active time that a rate is computed over, in ms. A grant that wakes thousands of parked operations is spent
 * within microseconds; divided by those it would report millions of TPS, so the rate is taken over the first second.
 */
const SHORTEST_ACTIVE_MS = 1_000;

/** The report of a window that has ended. */
export function reportOf(grant: WindowGrant, counts: WindowCounts): WindowReport {
  const windowMs = Math.max(0, counts.windowMs);
  const exhaustedMs = Math.min(counts.exhaustedMs, windowMs);
  const shortest = windowMs === 0 ? SHORTEST_ACTIVE_MS : Math.min(SHORTEST_ACTIVE_MS, windowMs);
  const activeMs = Math.max(windowMs - exhaustedMs, shortest);
  return {
    epoch: grant.epoch,
    windowNumber: grant.windowNumber,
    windowMs,
    creditBudget: grant.creditBudget,
    chargedOps: counts.chargedOps,
    chargedByType: counts.chargedByType,
    exhaustedMs,
    pacedMs: Math.min(counts.pacedMs, windowMs - exhaustedMs),
    actualTps: (counts.chargedOps * 1_000) / activeMs,
    meanTps: (counts.chargedOps * 1_000) / Math.max(windowMs, shortest),
    peakSecondTps: Math.max(counts.peakSecondOps, counts.lastSecondOps),
    parkedOps: counts.parkedOps,
  };
}
