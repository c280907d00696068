/** Limits of every connection to a console, in ms. */
export const CONNECTION_LIMITS = {
  /** Time to send a whole request: far more than any needs, and an end to senders that dribble. */
  requestTimeoutMs: 30_000,
  /** Time to send its headers, or anything at all on a new connection. */
  headersTimeoutMs: 20_000,
  /** How often both are looked at: they may be exceeded by this much. */
  checkMs: 5_000,
  /**
   * A connection on which nothing moves for this long is closed, also in the middle of an answer: a reader that stopped reading
   * would hold what was prepared for it for ever. Far longer than any answer takes to begin, a claim that waits for work included.
   */
  stalledMs: 120_000,
  /** An idle connection is closed after this; longer than a window, so that a heartbeat finds its connection open. */
  keepAliveMs: 75_000,
} as const;
