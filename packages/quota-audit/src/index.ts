export { auditKeys, type AuditOptions, type AuditParts, type AuditProgress, type Recording } from './audit.ts';
export { DEFAULT_KEYS_PER_SECOND, DEFAULT_MAX_LIFETIME_MS } from './defaults.ts';
export type { AuditPolicy } from './findings/judge.ts';
export type { Growth, Projection } from './findings/projection.ts';
export {
  hasFindings,
  reportOf,
  type Amount,
  type AuditReport,
  type FamilyReport,
  type UnjudgedReport,
} from './findings/report.ts';
export type { Tally } from './findings/tally.ts';
export { Pacer } from './pacer.ts';
export { continuationOf, MAX_PLAN_AGE_MS, type Continuation } from './repair/continuation.ts';
export { openFileJournal } from './repair/file-journal.ts';
export type { Journal, ListingState, RepairCounts, RepairState } from './repair/journal.ts';
export type { FixMode, FixRules, PlanLine, Spared } from './repair/plan.ts';
export { repair, summarise, type PlanSummary, type RepairOptions, type RepairParts } from './repair/repair.ts';
export type { AuditedStore, Change, ListedKey, Look, LookRequest, Outcome, Page } from './stores/audited-store.ts';
export { memcachedAuditedStore } from './stores/memcached-store.ts';
export { nodeRedisNode, type NodeRedisClient } from './stores/node-redis-node.ts';
export { textOf, type RedisNode } from './stores/redis-nodes.ts';
export { redisAuditedStore, type RedisAuditedStoreOptions } from './stores/redis-store.ts';
