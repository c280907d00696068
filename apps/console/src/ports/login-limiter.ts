/** Bounds how often a password can be tried. */
export interface LoginLimiter {
  /** Counts one attempt; null: it may be made, else the time in ms until the next one may. */
  attempt(address: string, username: string): Promise<number | null>;
  /** The attempt succeeded: earlier failures of this pair are forgotten. */
  succeeded(address: string, username: string): Promise<void>;
  /** Ends what the limiter holds. */
  close(): Promise<void>;
}
