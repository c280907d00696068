export { equalSplit, MIN_GLOBAL_LIMIT_TPS, reclaimAllocation, appetiteOf } from './allocation.ts';
export type { Appetite, RunningAgent } from './allocation.ts';
export * from './coordinator.ts';
export * from './cost-model.ts';
export * from './credit-window.ts';
export type { AbortSource } from './parking-queue.ts';
