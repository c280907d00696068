import type { RunningAgent } from './allocation.ts';
import type { AllocationReason } from './allocation-reason.ts';

/** The agents in the split with what they run with and reported; answers what each is given next. */
export interface Split {
  readonly size: number;
  /** Agents that want more than they run with, as the policy judges it. */
  readonly hungry: number;
  /** Budget in TPS; a value below 100 counts as 100. */
  set globalLimitTps(limit: number);
  /** Adds an agent, or replaces what is known of it. */
  put(agent: RunningAgent): void;
  /** Takes an agent out of the split; harmless when it is not in it. */
  remove(id: string): void;
  /** What an agent is given at its next heartbeat, in TPS; undefined when it is not in the split. */
  nextTps(id: string): number | undefined;
  /** How `nextTps` comes about; undefined when it is not in the split. */
  explain(id: string): AllocationReason | undefined;
  /** All agents in the split, as they were put. A pass over the fleet. */
  agents(): RunningAgent[];
}
