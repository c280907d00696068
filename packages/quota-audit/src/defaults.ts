/**
 * Default pace in keys per second. Measured by `benchmarks/audit-million.ts`: about 4 % of what one Redis does, so the median
 * latency of its clients stays the same and the 99th percentile does not double.
 */
export const DEFAULT_KEYS_PER_SECOND = 10_000;

/** Default of `maxLifetimeMs`, 400 days: nobody counts for longer than a year. */
export const DEFAULT_MAX_LIFETIME_MS: number = 400 * 86_400_000;
