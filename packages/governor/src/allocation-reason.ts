import { equalSplit, type Appetite } from './allocation.ts';

/** Why an agent was given what it was given: the numbers of the rule that decided. Rates in TPS. */
export type AllocationReason =
  /** It accepted a job, or is new to this coordinator: an equal split over all online agents (D7). */
  | {
      readonly rule: 'first-grant';
      readonly limitTps: number;
      readonly onlineAgents: number;
      readonly shareTps: number;
    }
  | ReclaimReason
  | MaxMinReason;

/** `shareTps = max(1, scale × (0.4 × (base − givenBack + bonus) + 0.6 × runsWith))`. */
export interface ReclaimReason {
  readonly rule: 'reclaim';
  readonly limitTps: number;
  readonly activeAgents: number;
  readonly hungryAgents: number;
  readonly appetite: Appetite;
  /** What it reported; null: nothing yet. */
  readonly actualTps: number | null;
  readonly runsWithTps: number;
  readonly baseTps: number;
  readonly givenBackTps: number;
  readonly bonusTps: number;
  readonly scale: number;
  readonly shareTps: number;
}

/** `shareTps = min(use × (1 + headroom), max(floor, weight × level)) + spare`; see `max-min.ts` for the rare cases. */
export interface MaxMinReason {
  readonly rule: 'max-min';
  readonly limitTps: number;
  readonly activeAgents: number;
  readonly hungryAgents: number;
  /** What it used; null: more than it had, or it has not reported yet. */
  readonly useTps: number | null;
  /** `use`: as much as it used · `all`: more than it had, nobody knows how much · `new`: it has not reported yet. */
  readonly wants: 'use' | 'all' | 'new';
  readonly weight: number;
  readonly floorTps: number;
  readonly headroomPercent: number;
  /** What scarcity leaves per weight; null: there is enough for all. */
  readonly levelTps: number | null;
  readonly spareTps: number;
  readonly shareTps: number;
}

/** One grant with its reason. */
export interface GrantReason {
  readonly epoch: string;
  readonly windowNumber: number;
  readonly grantedAtMs: number;
  readonly reason: AllocationReason;
  /** Seconds that the grant pays for. */
  readonly windowSeconds: number;
  /** `floor(share × seconds)`. */
  readonly computedCredits: number;
  /** What was granted: less than computed when the overshoot guard found less free. */
  readonly creditBudget: number;
}

/** The reason of a first grant: the budget split equally over all online agents. */
export function firstShare(limitTps: number, onlineAgents: number): AllocationReason {
  return { rule: 'first-grant', limitTps, onlineAgents, shareTps: equalSplit(limitTps, onlineAgents) };
}
