/** Credits that one agent holds for a while. Times on the steady clock, in ms. */
export interface LeasedCredits {
  /** Whole, 0 when nothing was free. */
  readonly credits: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Keeps the sum of all credits that are leased at any instant within the budget of a window. */
export interface CreditLedger {
  /**
   * Leases as much of `wantedCredits` as is free from now until `untilMs`.
   * @param budgetCredits what all leases that are live at an instant may hold together.
   */
  lease(wantedCredits: number, budgetCredits: number, nowMs: number, untilMs: number): Promise<LeasedCredits>;
  /** A lease has ended before its time: nobody spends its credits any more. Once for each lease. */
  end(lease: LeasedCredits, nowMs: number): Promise<void>;
}
