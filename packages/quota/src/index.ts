export { addressSubject, DEFAULT_IPV6_PREFIX } from './addresses.ts';
export {
  deadlineAt,
  defaultMarginMs,
  LATEST_DEADLINE_MS,
  MAX_MARGIN_MS,
  MIN_MARGIN_MS,
  periodDeadline,
  type Deadline,
} from './deadlines.ts';
export { Decision, type Place, type Receipt, type Source, type Verdict } from './decision.ts';
export { QUOTA_ERROR_CODES, QuotaError, type QuotaErrorCode, type QuotaErrorDetail } from './errors.ts';
export type { EventListener, QuotaEvent } from './events.ts';
export type { Explanation } from './explain.ts';
export { assessHealth, MAX_SKEW_MS } from './health.ts';
export { hostClock, hostTimers, MAX_TIMER_MS, type Clock, type TimerHandle, type Timers } from './host.ts';
export {
  companionKey,
  counterKey,
  KEY_SCHEMA,
  keyPrefix,
  MAX_KEY_BYTES,
  MAX_QUOTA_ID_BYTES,
  parseKey,
  type CompanionKind,
  type KeyName,
} from './keys.ts';
export { MemoryStore, type MemoryStoreOptions } from './memory-store.ts';
export type { Metrics } from './metrics.ts';
export type { Usage } from './peek.ts';
export { parsePeriodId, type PeriodName } from './period-ids.ts';
export { nominalLengthMs, type PeriodLength, type PeriodUnit } from './period-lengths.ts';
export { periodAt, type Period } from './periods.ts';
export { Quota, type TakeOptions } from './quota.ts';
export { openQuotas, Quotas, type GroupPart, type QuotasOptions } from './quotas.ts';
export type { Refund } from './refund.ts';
export type { Reservation, Settlement, SettleOutcome } from './reserve.ts';
export { checkDefinition, type Limit, type OutagePolicy, type QuotaDefinition, type QuotaRules } from './rules.ts';
export { takeAllStepwise, type StepwiseStore } from './stepwise.ts';
export type * from './store.ts';
export type { GroupDecision } from './take-all.ts';
export { zoneNamed, type Zone } from './zones.ts';
