import type { Store } from '@weir/quota';

/** The server that keeps the counters of a ledger. */
export interface LedgerTier {
  readonly store: Pick<Store, 'take' | 'giveBack' | 'get' | 'swap' | 'time' | 'health'>;
  /** Changes with every connection that is made: another server, or one that was restarted, may answer from then on. */
  readonly connections: () => number;
}

/** Which window of which process of an agent a lease is for. */
export interface LeaseHolder {
  readonly agentId: string;
  /** New for each start of the agent's process. */
  readonly bootId: string;
  readonly epoch: string;
  readonly windowNumber: number;
}

/** Credits that one agent holds for a while. Times on the ledger's clock, in ms. */
export interface CreditLease extends LeaseHolder {
  /** Whole, 0 when nothing was free. */
  readonly credits: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The ledger that counts it: a ledger that lost its counters begins anew under another id. */
  readonly ledgerId: string;
}

/** A lease that another life of the console gave, and how much longer it can be live, in ms. */
export interface InheritedLease {
  readonly lease: CreditLease;
  readonly leftMs: number;
}

/** Keeps the sum of all credits that are leased at any instant within the budget of a window. */
export interface CreditLedger {
  /**
   * Leases begin. Nothing is given before it is certain that the ledger knows every lease that can be live.
   * @param mayBeHeld grants may be live that no ledger knows of, if there is none now: they are waited for.
   */
  begin(mayBeHeld: boolean): void;
  /**
   * Leases as much of `wantedCredits` as is free, from now on for the time that grants are live at most.
   * @param budgetCredits what all leases that are live at an instant may hold together.
   * @returns null while the ledger waits for leases to end that it does not know of
   * @throws LedgerUnavailable when the ledger cannot tell what is free; what it has drawn by then runs out by itself
   */
  lease(holder: LeaseHolder, wantedCredits: number, budgetCredits: number): Promise<CreditLease | null>;
  /** A lease has ended before its time: nobody spends its credits any more. Never rejects: what is not ended runs out. */
  end(lease: CreditLease): Promise<void>;
  /**
   * The last lease of an agent, when another life of the console gave it and it can still be live.
   * @throws LedgerUnavailable
   */
  inherited(agentId: string): Promise<InheritedLease | null>;
  /** Lets time pass; to be called often, also while nothing is leased. Never rejects. */
  keep(): Promise<void>;
  /** Whether leases are given now; false while the ledger is away, or waits for leases that it does not know of. */
  readonly ready: boolean;
}

/** The ledger cannot be asked: what is free is unknown, so nothing is granted. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}
