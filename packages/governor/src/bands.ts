/** Colour of a utilization or an actual rate. */
export type Band = 'green' | 'amber' | 'red';

/** Below this many percent of the limit: green. */
export const AMBER_FROM_PERCENT = 80;
/** Above this many percent of the limit: red. */
export const RED_ABOVE_PERCENT = 95;

/** Green below 80 %, amber from 80 to 95 % inclusive, red above. */
export function bandOf(percent: number): Band {
  if (percent < AMBER_FROM_PERCENT) return 'green';
  return percent <= RED_ABOVE_PERCENT ? 'amber' : 'red';
}

/** Total actual TPS as a percentage of the global limit; 0 without a limit. */
export function utilizationPercent(totalActualTps: number, globalLimitTps: number): number {
  return globalLimitTps > 0 ? (totalActualTps / globalLimitTps) * 100 : 0;
}

/** Actual TPS of an agent as a percentage of its allocation; null without an allocation. */
export function efficiencyPercent(actualTps: number, allocatedTps: number): number | null {
  return allocatedTps > 0 ? (actualTps / allocatedTps) * 100 : null;
}
