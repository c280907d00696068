/** Something that an operator should hear of. `type` is stable; names of fields carry units. */
export type QuotaEvent =
  /** A counter was gone before its deadline: evicted, flushed, or lost with a restart. Its subject begins again from zero. */
  | { readonly type: 'counter_vanished'; readonly quota: string; readonly subject: string; readonly key: string }
  /** The store stopped, or started again, to answer; between the two, outage policies decide. */
  | { readonly type: 'store_down'; readonly lane: string; readonly error: string }
  | { readonly type: 'store_up'; readonly lane: string }
  /** Another server answers, or the same one restarted: counters may be gone. */
  | { readonly type: 'store_restarted'; readonly instance: string; readonly before: string }
  /** When full, the store removes entries that it may not: counters with a future. */
  | { readonly type: 'eviction_policy_unsafe'; readonly policy: string }
  /** Entries were removed to make room since the last look. */
  | { readonly type: 'entries_evicted'; readonly count: number }
  /** The server holds entries without a deadline; they never go away by themselves. `weir audit` finds them. */
  | { readonly type: 'undated_entries'; readonly count: number }
  /** The clocks of this host and the store differ by more than a counter's margin can bear. */
  | { readonly type: 'clock_skewed'; readonly skewMs: number }
  /** The entry under a counter's key is no counter. */
  | { readonly type: 'counter_corrupt'; readonly key: string; readonly error: string }
  /** A look at the store's health failed. */
  | { readonly type: 'health_unknown'; readonly error: string };

/** Hears events; must not throw (what it throws is dropped). */
export type EventListener = (event: QuotaEvent) => void;
