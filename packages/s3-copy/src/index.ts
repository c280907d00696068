export { CancelledError } from './cancellation.ts';
export type { CopyFailure } from './checkpoint.ts';
export { S3Client, callContext } from './client.ts';
export type { S3ClientOptions } from './client.ts';
export { systemClock } from './clock.ts';
export type { Clock } from './clock.ts';
export { NO_FILTER, compileFilter, problemsOfFilter } from './copy-filter.ts';
export type { CopyFilter } from './copy-filter.ts';
export { copyKeys, copyRange } from './copy-range.ts';
export type { CheckBy, CopyKeysOptions, CopyRangeOptions } from './copy-range.ts';
export { CopyRun } from './copy-run.ts';
export type { CopyResult, CopyRunOptions, CopySnapshot } from './copy-run-options.ts';
export { DEFAULT_TUNING, newCopyPlan } from './copy-plan.ts';
export type {
  CopyItem,
  CopyMode,
  CopyOutcome,
  CopyPlan,
  CopyPlanOptions,
  CopySide,
  CopyTuning,
  PlannedAction,
} from './copy-plan.ts';
export { copyObject } from './copy-object.ts';
export { emptyCounters } from './counters.ts';
export type { CopyCounters } from './counters.ts';
export { S3Error } from './errors.ts';
export { openGate } from './gate.ts';
export type { CallContext, CallTally, OperationGate, S3Operation, Traffic } from './gate.ts';
export type { CopyWarning, WarningCounts } from './learned.ts';
export { OWN_CODES, WARNING_CODES, type OwnCode, type WarningCode } from './own-codes.ts';
export { listPages, pageFetcher } from './list.ts';
export type { KeyRange, ListOptions, PageFetcher } from './list.ts';
export { EMPTY_MANIFEST, chainLine, manifestLine } from './manifest.ts';
export type { ManifestEntry, ManifestState, Verification } from './manifest.ts';
export * from './operations/buckets.ts';
export { listObjectsPage } from './operations/list-objects.ts';
export type { ListPage, ListRequest, ListedObject } from './operations/list-objects.ts';
export * from './operations/multipart.ts';
export * from './operations/objects.ts';
export * from './operations/tags.ts';
export { planRanges, planRangesWith } from './plan-ranges.ts';
export type { PlanRangesOptions, RangePlan } from './plan-ranges.ts';
export { ProbeError, probeBucket, probeEndpoint } from './probe.ts';
export type { ProbeErrorKind } from './probe.ts';
export { DEFAULT_RETRY } from './retry.ts';
export type { RetryPolicy } from './retry.ts';
export type { Credentials } from './sigv4.ts';
export type { ConnectOptions, Timeouts } from './transport.ts';
export { compareUtf8 } from './utf8-order.ts';
