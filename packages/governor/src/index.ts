export * from './alarm.ts';
export {
  appetiteOf,
  equalSplit,
  MIN_GLOBAL_LIMIT_TPS,
  reclaimAllocation,
  type Appetite,
  type RunningAgent,
} from './allocation.ts';
export type { AllocationReason, GrantReason, MaxMinReason, ReclaimReason } from './allocation-reason.ts';
export * from './bands.ts';
export * from './coordinator.ts';
export type { CoordinatorAgent, CoordinatorReport } from './coordinator-agent.ts';
export * from './cost-model.ts';
export * from './credit-window.ts';
export * from './window-report.ts';
export { DemandWatch, TOLD_HUNGRY_FROM } from './demand-watch.ts';
export * from './fleet-limit.ts';
export { maxMinAllocation } from './max-min.ts';
export { POLICIES, type AllocationPolicy, type PolicyName } from './policies.ts';
export { ONLINE_WINDOWS } from './roster.ts';
export * from './scenario.ts';
export type { DemandStep, ScenarioFleet } from './scenario-fleet.ts';
export type { ScenarioProblem } from './scenario-reader.ts';
export { simulate } from './simulate.ts';
export type { FleetSummary, SimulatedWindow, SimulationResult, SimulationSummary } from './simulation-result.ts';
export type { AbortSource } from './parking-queue.ts';
