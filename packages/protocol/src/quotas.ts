import { z } from 'zod';
import { count, displayName, id, rate, timestampMs } from './identifiers.ts';
import { etag } from './made-from.ts';

/** `memory`: counters in the console itself · `redis`: Redis or Valkey · `memcached`. */
export const quotaStoreKind = z.enum(['memory', 'redis', 'memcached']);
export type QuotaStoreKind = z.infer<typeof quotaStoreKind>;

/** A store that counters live in. User name and password stand apart from the address, so that it can be shown. */
export const quotaStoreInput = z.strictObject({
  name: displayName,
  /** `redis://host:6379/0`, `rediss://`, `valkey://`, `valkeys://`, `memcached://host:11211,host:11211`. */
  address: z
    .string()
    .max(512)
    .regex(
      /^((redis|rediss|valkey|valkeys):\/\/[^\s/@,?#]+(\/\d{0,5})?|memcached:\/\/[^\s/@,?#]+(,[^\s/@,?#]+)*)$/,
      'must be like redis://host:6379/0, rediss://host:6380, valkey://host or memcached://host:11211',
    ),
  username: z.string().max(256).optional(),
  /** Encrypted at rest; never sent back. */
  password: z.string().max(1_024).optional(),
});
export type QuotaStoreInput = z.infer<typeof quotaStoreInput>;

/** What an operator has to know about a store; a field is null where the store cannot say. */
export const deadlineHealth = z.object({
  lookedAtMs: timestampMs,
  /** Entries without a deadline: they never go away by themselves. Of the whole server, not only of quotas. */
  undated: count.nullable(),
  entries: count.nullable(),
  /** How the store makes room when full, in its own word. */
  evictionPolicy: z.string().nullable(),
  evicted: count.nullable(),
  usedBytes: count.nullable(),
  maxBytes: count.nullable(),
  /** Restarts and failovers that this console has seen since it started; counters may have been lost. */
  restarts: count,
});
export type DeadlineHealth = z.infer<typeof deadlineHealth>;

/**
 * What is wrong with a store: entries without a deadline · an eviction policy that removes live counters · it has removed some ·
 * it restarted · its clock and this console's are far apart · a counter vanished · something else stands under a counter's name.
 */
export const storeWarning = z.enum([
  'undated-entries',
  'eviction-policy-unsafe',
  'entries-evicted',
  'store-restarted',
  'clock-skewed',
  'counter-vanished',
  'counter-corrupt',
]);
export type StoreWarning = z.infer<typeof storeWarning>;

export const quotaStoreView = z.object({
  storeId: id,
  name: displayName,
  kind: quotaStoreKind,
  address: z.string(),
  username: z.string().nullable(),
  hasPassword: z.boolean(),
  createdAtMs: timestampMs,
  createdBy: z.string(),
  /** Part of the console: cannot be removed. */
  builtIn: z.boolean(),
  state: z.enum(['connecting', 'up', 'down']),
  /** Why it is down; null otherwise. */
  problem: z.string().nullable(),
  /** What the probe found that it can do; null before it answered. */
  profile: z
    .object({ capability: z.string(), mechanism: z.string(), exact: z.boolean(), atomicGroups: z.boolean() })
    .nullable(),
  health: deadlineHealth.nullable(),
  warnings: z.array(storeWarning),
  definitions: count,
});
export type QuotaStoreView = z.infer<typeof quotaStoreView>;
export const quotaStoreList = z.object({ stores: z.array(quotaStoreView) });

/** A store that was reached, without saving it. */
export const quotaStoreTestResult = z.object({
  latencyMs: rate,
  capability: z.string(),
  mechanism: z.string(),
  entries: count.nullable(),
  undated: count.nullable(),
});
export type QuotaStoreTestResult = z.infer<typeof quotaStoreTestResult>;

/** `wq1` keys hold this name; programs that count on the same store use the same one. */
export const quotaName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1–64 characters of a–z, 0–9, ., - and _');

export const PERIOD_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month'] as const;
export const OUTAGE_POLICIES = ['closed', 'open', 'last-known'] as const;

/** This subject may do this much in this period. */
export const quotaInput = z.strictObject({
  storeId: id,
  quota: quotaName,
  /** Most that one subject may take in a period; 0 refuses everything. */
  limit: z
    .number('must be a whole number')
    .int('must be a whole number')
    .nonnegative('must not be negative')
    .max(Number.MAX_SAFE_INTEGER),
  period: z.strictObject({
    unit: z.enum(PERIOD_UNITS),
    count: z.number('must be a whole number').int('must be a whole number').min(1, 'must be at least 1').max(10_000),
  }),
  /** IANA zone of the calendar. */
  zone: z.string().min(1).max(64).default('UTC'),
  /** What is decided while the store does not answer. */
  outage: z.enum(OUTAGE_POLICIES).default('closed'),
  /** Count and report, never refuse. */
  shadow: z.boolean().default(false),
  /** `address`: subjects are network addresses; IPv6 counts by /64. */
  subjects: z.enum(['text', 'address']).default('text'),
});
export type QuotaInput = z.infer<typeof quotaInput>;

/** Not strict, as what it is made of: a newer console may say more. */
export const quotaView = z.object({
  ...quotaInput.shape,
  definitionId: id,
  storeName: z.string(),
  storeKind: quotaStoreKind,
  /** One that the console limits itself with: cannot be changed. */
  builtIn: z.boolean(),
  changedAtMs: timestampMs.nullable(),
  changedBy: z.string(),
  /** For `ifMatch` of a change; absent: it cannot be changed, or the console does not compare. */
  etag: etag.optional(),
  /** Takes through this console since it started, and those of them that were refused (or would have been, in shadow). */
  takes: count,
  refused: count,
  /** Refusals in the last hour. */
  refusedLastHour: count,
  /** Why the definition does not work with its store; null: it does. */
  problem: z.string().nullable(),
});
export type QuotaView = z.infer<typeof quotaView>;
export const quotaList = z.object({ quotas: z.array(quotaView) });

/** Where one subject stands. */
export const subjectUsage = z.object({
  subject: z.string(),
  /** Only the beginning of a long subject is kept in the key. */
  shortened: z.boolean(),
  used: count,
  limit: count,
  resetAtMs: timestampMs.nullable(),
  /** Takes of it that this console refused in this period. */
  refused: count,
});
export type SubjectUsage = z.infer<typeof subjectUsage>;

/** Columns of the picture; one entry per minute, oldest first; null where the console did not run. */
export const refusalSeries = z.object({
  atMs: z.array(timestampMs),
  admitted: z.array(count.nullable()),
  refused: z.array(count.nullable()),
  /** Subjects at or over their limit when the store was looked through. */
  subjectsAtLimit: z.array(count.nullable()),
});
export type RefusalSeries = z.infer<typeof refusalSeries>;

export const quotaUsage = z.object({
  quota: quotaView,
  /** Most used first. */
  top: z.array(subjectUsage),
  /** Subjects with a counter in the present period that were seen; null: the store has not been looked through yet. */
  subjects: count.nullable(),
  /** True when there are more counters than are looked through at a time: the figures are of a part. */
  partial: z.boolean(),
  lookedAtMs: timestampMs.nullable(),
  series: refusalSeries,
});
export type QuotaUsage = z.infer<typeof quotaUsage>;

export const takeRequest = z.strictObject({
  subject: z.string().min(1, 'must not be empty').max(1_024),
  cost: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).default(1),
});
export const takeResult = z.object({
  allowed: z.boolean(),
  used: count,
  remaining: count,
  limit: count,
  resetAtMs: timestampMs,
  retryAfterMs: count,
  /** Who decided: `store`, `rule`, `deny-cache`, `outage-closed`, … */
  source: z.string(),
});
export type TakeResult = z.infer<typeof takeResult>;

export const subjectReset = z.strictObject({ subject: z.string().min(1, 'must not be empty').max(1_024) });

/** What to look for on a store. */
export const auditRunInput = z.strictObject({
  storeId: id,
  /** Only keys like this, as Redis reads patterns. */
  match: z.string().min(1).max(256).optional(),
  /** Keys like this are counters, whatever they look like. */
  counters: z.array(z.string().min(1).max(256)).max(20).default([]),
  /** Zone of dates in names; absent: UTC, and deletions wait until the day is over everywhere. */
  zone: z.string().min(1).max(64).optional(),
});
export type AuditRunInput = z.infer<typeof auditRunInput>;

const amount = z.object({ keys: count, bytes: count });

/** One family of counters in a report. */
export const auditFamily = z.object({
  family: z.string(),
  counters: count,
  undated: count,
  ended: count,
  tooLong: count,
  negative: count,
  notNumbers: count,
  found: count,
  wastedBytes: count,
  example: z.string().nullable(),
});
export type AuditFamily = z.infer<typeof auditFamily>;

/** What an audit found; byte counts are estimates. */
export const auditReportView = z.object({
  keys: z.object({ listed: count, counters: count, leaving: count }),
  findings: z.object({
    keys: count,
    undated: amount,
    ended: amount,
    tooLong: count,
    negative: count,
    notNumbers: count,
  }),
  waste: amount,
  growth: z.object({ days: count, keysPerDay: rate, bytesPerDay: rate, series: z.array(count) }),
  projection: z.array(z.object({ days: count, keys: count, bytes: count })),
  families: z.array(auditFamily),
  subjects: z.array(z.object({ family: z.string(), subject: z.string(), keys: count })),
});
export type AuditReportView = z.infer<typeof auditReportView>;

export const fixMode = z.enum(['date', 'delete']);
export type FixMode = z.infer<typeof fixMode>;

/** Listed keys that a repair leaves alone, by reason. */
const sparedCounts = z.record(z.string(), count);

/** What a repair would do. Nothing has been changed. */
export const repairPlan = z.object({ mode: fixMode, changes: count, spared: sparedCounts });
export type RepairPlan = z.infer<typeof repairPlan>;

/** What a repair did so far. */
export const repairProgress = z.object({
  mode: fixMode,
  done: count,
  /** Put right by somebody else meanwhile · gone meanwhile · changed meanwhile and left alone · failed. */
  kept: count,
  gone: count,
  changed: count,
  failed: count,
  spared: sparedCounts,
});
export type RepairProgress = z.infer<typeof repairProgress>;

/**
 * listing → done | failed | stopped; done → fixing → fixed | failed | stopped.
 * `stopped`: by somebody, or because the console ended. A repair that was stopped goes on where it was when it is asked for again.
 */
export const auditRunState = z.enum(['listing', 'done', 'fixing', 'fixed', 'failed', 'stopped']);
export type AuditRunState = z.infer<typeof auditRunState>;

export const auditRunView = z.object({
  auditId: id,
  storeId: id,
  storeName: z.string(),
  input: auditRunInput,
  state: auditRunState,
  problem: z.string().nullable(),
  startedBy: z.string(),
  startedAtMs: timestampMs,
  endedAtMs: timestampMs.nullable(),
  progress: z.object({ keys: count, total: count.nullable(), found: count, keysPerSecond: rate }),
  report: auditReportView.nullable(),
  repair: repairProgress.nullable(),
});
export type AuditRunView = z.infer<typeof auditRunView>;
export const auditRunList = z.object({ audits: z.array(auditRunView) });

/**
 * Repairs what an audit listed: `date` gives counters the deadline that they should have, `delete` removes those of ended periods.
 * By default nothing is changed and the plan is answered.
 */
export const repairRequest = z.strictObject({
  mode: fixMode,
  /** What `date` gives counters whose names do not tell their period, in ms; absent: as their siblings have. */
  lifetimeMs: z
    .number()
    .int()
    .min(1_000)
    .max(400 * 86_400_000)
    .optional(),
  dryRun: z.boolean().default(true),
  /** Name of the store, to say that the change is meant; needed unless `dryRun`. */
  confirm: z.string().max(64).optional(),
});
export type RepairRequest = z.infer<typeof repairRequest>;
export const repairAnswer = z.object({ plan: repairPlan, audit: auditRunView });
export type RepairAnswer = z.infer<typeof repairAnswer>;

/** Definitions and stores that a console has at most. */
export const MAX_QUOTA_DEFINITIONS = 200;
export const MAX_QUOTA_STORES = 20;
