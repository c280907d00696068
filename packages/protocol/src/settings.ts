import { z } from 'zod';
import { timestampMs } from './identifiers.ts';
import { MAX_GLOBAL_LIMIT_TPS, MIN_GLOBAL_LIMIT_TPS } from './limits.ts';

/** S3 operation types that can count toward the limit. */
export const TRANSACTION_TYPES = ['LIST', 'GET', 'PUT', 'DELETE'] as const;
export const transactionType = z.enum(TRANSACTION_TYPES);
export type TransactionType = z.infer<typeof transactionType>;

/** Settings of the governor (Setup & Settings > TPS Rate Limiting). */
export const governorSettings = z.strictObject({
  /** Off: agents run unthrottled and the monitor leaves the navigation. */
  enabled: z.boolean(),
  /** Total budget of the fleet in TPS: a whole number; below 100 it is raised to 100 when it is saved. */
  globalLimitTps: z
    .number('must be a whole number of TPS, for example 10000')
    .int('must be a whole number of TPS, for example 10000')
    .nonnegative('must not be negative; the lowest limit is 100 TPS')
    .max(MAX_GLOBAL_LIMIT_TPS, `must be at most ${MAX_GLOBAL_LIMIT_TPS} TPS`),
  /** Which operation types are charged. GET and DELETE have no effect under the documented cost model. */
  transactionTypes: z.strictObject({ LIST: z.boolean(), GET: z.boolean(), PUT: z.boolean(), DELETE: z.boolean() }),
  /** Alarm CV-TPS-001 fires above this percentage of the limit: 1–100. */
  alarmThresholdPercent: z
    .number('must be a number from 1 to 100')
    .min(1, 'must be at least 1 percent')
    .max(100, 'must be at most 100 percent'),
});
export type GovernorSettings = z.infer<typeof governorSettings>;

/** The settings as they are kept and enforced: a limit below 100 TPS becomes 100 TPS. */
export function withEnforcedMinimum(settings: GovernorSettings): GovernorSettings {
  return { ...settings, globalLimitTps: Math.max(MIN_GLOBAL_LIMIT_TPS, settings.globalLimitTps) };
}

/** What a new console starts with. */
export const DEFAULT_GOVERNOR_SETTINGS: GovernorSettings = {
  enabled: true,
  globalLimitTps: 10_000,
  transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: false },
  alarmThresholdPercent: 95,
};

/** Settings with who changed them and when; `version` grows by one with each change. */
export const versionedGovernorSettings = z.object({
  version: z.number().int().nonnegative(),
  changedBy: z.string(),
  changedAtMs: timestampMs,
  settings: governorSettings,
});
export type VersionedGovernorSettings = z.infer<typeof versionedGovernorSettings>;
