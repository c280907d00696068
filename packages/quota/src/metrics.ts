/** What the engine counted since it started. Monotonic; read it as a snapshot with `Quotas.metrics`. */
export interface Metrics {
  /** Takes asked for, groups counted per quota. */
  takes: number;
  allowed: number;
  refused: number;
  /** Takes that a quota in shadow would have refused. */
  shadowRefused: number;
  /** Takes that travelled with another one in the same increment. */
  coalesced: number;
  /** Calls to the store, and counters drawn on in them. */
  storeCalls: number;
  draws: number;
  /** Decided locally out of a block, or by repeating a refusal. */
  fromLease: number;
  fromDenyCache: number;
  /** Decided without the store, by policy. */
  outageOpen: number;
  outageClosed: number;
  outageLocalShare: number;
  outageLastKnown: number;
  /** Idempotent repetitions that were not charged again. */
  replays: number;
  /** Counters that vanished before their deadline. */
  vanished: number;
  /** Calls to the store that failed or did not answer within the budget. */
  storeFailures: number;
  storeTimeouts: number;
  /** Amounts given back by refunds, late replies, idle leases and expired reservations. */
  refunded: number;
  lateReturned: number;
  leaseReturned: number;
  reservationsExpired: number;
  /** Takes decided by policy because too many were waiting. */
  overloaded: number;
}

/** Counters at zero. */
export function newMetrics(): Metrics {
  return {
    takes: 0,
    allowed: 0,
    refused: 0,
    shadowRefused: 0,
    coalesced: 0,
    storeCalls: 0,
    draws: 0,
    fromLease: 0,
    fromDenyCache: 0,
    outageOpen: 0,
    outageClosed: 0,
    outageLocalShare: 0,
    outageLastKnown: 0,
    replays: 0,
    vanished: 0,
    storeFailures: 0,
    storeTimeouts: 0,
    refunded: 0,
    lateReturned: 0,
    leaseReturned: 0,
    reservationsExpired: 0,
    overloaded: 0,
  };
}
