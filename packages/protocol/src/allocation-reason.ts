import { z } from 'zod';
import { count, id, rate } from './identifiers.ts';

const everyRule = {
  /** Limit in force. */
  limitTps: rate,
  /** What the rule gives the agent. */
  shareTps: rate,
};

const everyRecompute = {
  ...everyRule,
  activeAgents: count,
  hungryAgents: count,
};

/** Why an agent was given what it was given: the numbers of the rule that decided. Rates in TPS. */
export const allocationReason = z.discriminatedUnion('rule', [
  /** It accepted a job or is new to this coordinator: an equal split over all online agents (D7). */
  z.object({ rule: z.literal('first-grant'), ...everyRule, onlineAgents: count }),
  /** `shareTps = max(1, scale × (0.4 × (base − givenBack + bonus) + 0.6 × runsWith))` */
  z.object({
    rule: z.literal('reclaim'),
    ...everyRecompute,
    /** Actual ÷ allocated: `hungry` from 0.9 on, `slack` below 0.8. */
    appetite: z.enum(['hungry', 'steady', 'slack']),
    /** What it reported; null: nothing yet. */
    actualTps: rate.nullable(),
    runsWithTps: rate,
    baseTps: rate,
    givenBackTps: rate,
    bonusTps: rate,
    /** Below 1 when the shares had to shrink to fit the budget. */
    scale: rate,
  }),
  /** `shareTps = min(use × (1 + headroom), max(floor, weight × level)) + spare` */
  z.object({
    rule: z.literal('max-min'),
    ...everyRecompute,
    /** `use`: as much as it used · `all`: more than it had, nobody knows how much · `new`: it has not reported yet. */
    wants: z.enum(['use', 'all', 'new']),
    useTps: rate.nullable(),
    weight: rate,
    floorTps: rate,
    headroomPercent: rate,
    /** What scarcity leaves per weight; null: there is enough for all. */
    levelTps: rate.nullable(),
    spareTps: rate,
  }),
]);
export type AllocationReason = z.infer<typeof allocationReason>;

/** One grant of an agent with the reason for its size. */
export const grantReason = z.object({
  epoch: id,
  windowNumber: count,
  /** Since it was granted. */
  ageMs: count,
  reason: allocationReason,
  /** Seconds that the credits pay for: less than a window when the heartbeat came early, or when less was free. */
  windowSeconds: rate,
  /** `floor(share × seconds)`. */
  computedCredits: count,
  /** Granted: less than computed when the overshoot guard found less free. */
  creditBudget: count,
});
export type GrantReason = z.infer<typeof grantReason>;

/** Why an agent has what it has: its latest grants, newest first, at most two. */
export const allocationWhy = z.object({ agentId: id, grants: z.array(grantReason).max(2) });
export type AllocationWhy = z.infer<typeof allocationWhy>;
