/** Bounds how often one address calls. */
export interface CallLimiter {
  /** Counts one call; null: it may be made, else the time in ms until the next one may. */
  admit(address: string): number | null;
}
