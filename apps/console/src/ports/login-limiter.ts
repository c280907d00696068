/** Bounds how often a password can be tried. */
export interface LoginLimiter {
  /** Counts one attempt; null: it may be made, else the time in ms until the next one may. */
  attempt(address: string, username: string): number | null;
  /** The attempt succeeded: earlier failures are forgotten. */
  succeeded(address: string, username: string): void;
}
