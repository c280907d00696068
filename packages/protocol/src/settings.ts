import { z } from 'zod';
import { id, rate, timestampMs } from './identifiers.ts';
import { limitSchedule } from './limit-schedule.ts';
import { MAX_GLOBAL_LIMIT_TPS, MIN_GLOBAL_LIMIT_TPS } from './limits.ts';
import { etag } from './made-from.ts';

export * from './limit-schedule.ts';

/** Jobs with a weight or a minimum of their own: each heartbeat of their agents looks at them. */
export const MAX_JOB_SHARES = 100;

/** S3 operation types that can count toward the limit. */
export const TRANSACTION_TYPES = ['LIST', 'GET', 'PUT', 'DELETE'] as const;
export const transactionType = z.enum(TRANSACTION_TYPES);
export type TransactionType = z.infer<typeof transactionType>;

const limitTps = z
  .number('must be a whole number of TPS, for example 10000')
  .int('must be a whole number of TPS, for example 10000')
  .max(MAX_GLOBAL_LIMIT_TPS, `must be at most ${MAX_GLOBAL_LIMIT_TPS} TPS`);

/** `reclaim`: the documented policy · `max-min`: what is unused goes to whoever wants it, in one window. */
export const allocationPolicy = z.enum(['reclaim', 'max-min']);
export type AllocationPolicyName = z.infer<typeof allocationPolicy>;

/** `per-object`: the documented costs · `per-request`: every request really sent is charged to its type. */
export const costModel = z.enum(['per-object', 'per-request']);
export type CostModelName = z.infer<typeof costModel>;

/** How credits are released inside a window. */
export const pacing = z.strictObject({
  /** `off`: all at the start of the window (documented) · `paced`: evenly, in slots of well under a second. */
  mode: z.enum(['off', 'paced']),
  /** What may be spent at once after a lull, in seconds' worth of the allocation: 0.02–10. The peak second is at most (1 + this) × the limit. */
  burstSeconds: z
    .number('must be a number of seconds from 0.02 to 10')
    .min(0.02, 'must be at least 0.02 seconds')
    .max(10, 'must be at most 10 seconds'),
});
export type Pacing = z.infer<typeof pacing>;

/** What agents do while no console answers. */
export const consoleLost = z.strictObject({
  /** `park`: operations wait for a console (documented) · `safe-rate`: each agent goes on at `safeTps`. */
  mode: z.enum(['park', 'safe-rate']),
  /** Rate of each agent without a console, in TPS: 1–1,000,000. */
  safeTps: z
    .number('must be a number of TPS from 1 to 1000000')
    .min(1, 'must be at least 1 TPS')
    .max(1_000_000, 'must be at most 1000000 TPS'),
});
export type ConsoleLost = z.infer<typeof consoleLost>;

/** What a 503 SlowDown of any agent does to the limit of the whole fleet, besides the holdoff of that agent. */
export const slowDownReaction = z.strictObject({
  /** `off` (documented) · `lower-limit`: each lowers the limit by 30 %, once a window; quiet windows raise it by 5 % of the set limit. */
  mode: z.enum(['off', 'lower-limit']),
  /** The limit is never lowered below this, in TPS: at least 100. Above the set limit it has no effect. */
  floorTps: limitTps.min(MIN_GLOBAL_LIMIT_TPS, `must be at least ${MIN_GLOBAL_LIMIT_TPS} TPS`),
});
export type SlowDownReaction = z.infer<typeof slowDownReaction>;

/** What one job gets of the budget, compared with others. */
export const jobShare = z.strictObject({
  jobId: id,
  /** Agents of this job are given `weight` times what agents without one are given: 0.1–100, default 1. */
  weight: z.number().min(0.1, 'must be at least 0.1').max(100, 'must be at most 100').default(1),
  /** What the agents of this job together are given at least when they use it, in TPS; default 0: no guarantee. */
  minimumTps: rate.max(MAX_GLOBAL_LIMIT_TPS).default(0),
});
export type JobShare = z.infer<typeof jobShare>;

const jobShares = z
  .array(jobShare)
  .max(MAX_JOB_SHARES, `must have at most ${MAX_JOB_SHARES} jobs`)
  .refine((shares) => new Set(shares.map(({ jobId }) => jobId)).size === shares.length, 'must name each job once');

/**
 * Settings of the governor (Setup & Settings > TPS Rate Limiting). The first four are the documented ones. One of the
 * others that is absent from a change keeps its value, so that a page or a script that does not know it resets nothing.
 */
export const governorSettings = z.strictObject({
  /** Off: agents run unthrottled and the monitor leaves the navigation. */
  enabled: z.boolean(),
  /** Total budget of the fleet in TPS: a whole number; below 100 it is raised to 100 when it is saved. */
  globalLimitTps: limitTps.nonnegative('must not be negative; the lowest limit is 100 TPS'),
  /** Which operation types are charged. GET and DELETE have no effect under the documented cost model. */
  transactionTypes: z.strictObject({ LIST: z.boolean(), GET: z.boolean(), PUT: z.boolean(), DELETE: z.boolean() }),
  /** Alarm CV-TPS-001 fires above this percentage of the limit: 1–100. */
  alarmThresholdPercent: z
    .number('must be a number from 1 to 100')
    .min(1, 'must be at least 1 percent')
    .max(100, 'must be at most 100 percent'),
  allocationPolicy: allocationPolicy.optional(),
  costModel: costModel.optional(),
  pacing: pacing.optional(),
  /** Whether the sum of live grants is kept within budget × window at every instant; default off. */
  overshootGuard: z.boolean().optional(),
  consoleLost: consoleLost.optional(),
  slowDownReaction: slowDownReaction.optional(),
  /** Only with the policy `max-min`; the minimums together at most the global limit. */
  jobShares: jobShares.optional(),
  /** Other limits at certain hours; null: the global limit always. At most 50 rules. */
  limitSchedule: limitSchedule.nullable().optional(),
});
export type GovernorSettings = z.infer<typeof governorSettings>;

/** Every setting with a value. */
export type CompleteGovernorSettings = {
  [Name in keyof GovernorSettings]-?: Exclude<GovernorSettings[Name], undefined>;
};

/** The settings as they are kept and enforced: a limit below 100 TPS becomes 100 TPS. */
export function withEnforcedMinimum<Settings extends { globalLimitTps: number }>(settings: Settings): Settings {
  return { ...settings, globalLimitTps: Math.max(MIN_GLOBAL_LIMIT_TPS, settings.globalLimitTps) };
}

/** What a new console starts with: the documented behaviour. */
export const DEFAULT_GOVERNOR_SETTINGS: CompleteGovernorSettings = {
  enabled: true,
  globalLimitTps: 10_000,
  transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: false },
  alarmThresholdPercent: 95,
  allocationPolicy: 'reclaim',
  costModel: 'per-object',
  pacing: { mode: 'off', burstSeconds: 0.05 },
  overshootGuard: false,
  consoleLost: { mode: 'park', safeTps: 10 },
  slowDownReaction: { mode: 'off', floorTps: MIN_GLOBAL_LIMIT_TPS },
  jobShares: [],
  limitSchedule: null,
};

/** The settings with a value for every one of them: those that are absent are taken from `before`, by default the defaults. */
export function completeSettings(
  settings: GovernorSettings,
  before: CompleteGovernorSettings = DEFAULT_GOVERNOR_SETTINGS,
): CompleteGovernorSettings {
  return {
    enabled: settings.enabled,
    globalLimitTps: settings.globalLimitTps,
    transactionTypes: settings.transactionTypes,
    alarmThresholdPercent: settings.alarmThresholdPercent,
    allocationPolicy: settings.allocationPolicy ?? before.allocationPolicy,
    costModel: settings.costModel ?? before.costModel,
    pacing: settings.pacing ?? before.pacing,
    overshootGuard: settings.overshootGuard ?? before.overshootGuard,
    consoleLost: settings.consoleLost ?? before.consoleLost,
    slowDownReaction: settings.slowDownReaction ?? before.slowDownReaction,
    jobShares: settings.jobShares ?? before.jobShares,
    limitSchedule: settings.limitSchedule === undefined ? before.limitSchedule : settings.limitSchedule,
  };
}

/** What does not fit together in settings that are right one by one; empty: nothing. */
export function settingsConflicts(settings: CompleteGovernorSettings): { field: string; problem: string }[] {
  const conflicts: { field: string; problem: string }[] = [];
  const { jobShares: shares, allocationPolicy: policy, globalLimitTps } = settings;
  if (shares.length > 0 && policy !== 'max-min') {
    conflicts.push({ field: 'jobShares', problem: 'need the allocation policy max-min: choose it, or remove them' });
  }
  const promisedTps = shares.reduce((sum, { minimumTps }) => sum + minimumTps, 0);
  if (promisedTps > globalLimitTps) {
    const problem = `promise ${promisedTps} TPS together, more than the global limit of ${globalLimitTps}: lower them`;
    conflicts.push({ field: 'jobShares', problem });
  }
  return conflicts;
}

/** Settings with who changed them and when; `version` grows by one with each change. */
export const versionedGovernorSettings = z.object({
  version: z.number().int().nonnegative(),
  changedBy: z.string(),
  changedAtMs: timestampMs,
  settings: governorSettings,
  /** For `ifMatch` of a save; absent: the console does not compare. */
  etag: etag.optional(),
});
export type VersionedGovernorSettings = z.infer<typeof versionedGovernorSettings>;
