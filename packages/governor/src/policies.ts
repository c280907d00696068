import { reclaimAllocation, type RunningAgent } from './allocation.ts';
import { FleetSplit } from './fleet-split.ts';
import { maxMinAllocation } from './max-min.ts';
import { MaxMinSplit } from './max-min-split.ts';
import type { Split } from './split.ts';

/** `reclaim`: the documented policy. `max-min`: what is unused goes to whoever wants it, in one window. */
export type PolicyName = 'reclaim' | 'max-min';

/** What each agent is given at its next heartbeat, in TPS, by a recompute of the whole fleet. */
export type AllocationPolicy = (globalLimitTps: number, agents: readonly RunningAgent[]) => Map<string, number>;

/** Every policy by its name. */
export const POLICIES: Readonly<Record<PolicyName, AllocationPolicy>> = {
  reclaim: reclaimAllocation,
  'max-min': maxMinAllocation,
};

/** The same policies as the coordinator uses them: kept up to date instead of recomputed. */
export const SPLITS: Readonly<Record<PolicyName, new (globalLimitTps: number) => Split>> = {
  reclaim: FleetSplit,
  'max-min': MaxMinSplit,
};
