import { z } from 'zod';
import { count, id, rate } from './identifiers.ts';

export * from './allocation-reason.ts';

/**
 * Credits for one window. A grant replaces what the agent had left, it never adds to it.
 * `windowNumber` grows by one with each new grant to this agent within one `epoch` of the coordinator.
 */
export const grant = z.object({
  /** Identifies the coordinator's life: it changes when the console restarts, and numbers then begin anew. */
  epoch: id,
  windowNumber: z.number().int().positive(),
  /** Seconds that the credits stand for: the whole window, or the time that passed when the heartbeat came early. */
  windowSeconds: z.number().positive(),
  allocatedTps: rate,
  /** `floor(allocatedTps × windowSeconds)` operations; less when some were spent ahead, in a window that is settled early. */
  creditBudget: count,
  /**
   * Only with the overshoot guard: seconds, counted from the moment the request was sent, after which credits that are
   * left are void. Without it they last until the next heartbeat.
   */
  validSeconds: z.number().positive().optional(),
});
export type Grant = z.infer<typeof grant>;

/** Operations charged in a window, by transaction type. */
export const chargedByType = z.object({ LIST: count, GET: count, PUT: count, DELETE: count });
export type ChargedByType = z.infer<typeof chargedByType>;

/** What an agent did in the window that the heartbeat ends. */
export const windowUsage = z.object({
  epoch: id,
  windowNumber: z.number().int().positive(),
  /** Length of the window as the agent lived it, in ms. */
  windowMs: count,
  creditBudget: count,
  chargedOps: count,
  chargedByType,
  /** Time in which credits were out and something was parked, in ms. */
  exhaustedMs: count,
  /** Time in which something was parked for its slot although the window had credits left, in ms; absent when not paced. */
  pacedMs: count.optional(),
  /** `chargedOps ÷ (windowMs − exhaustedMs)` in TPS (D1): above the allocation when the budget went early. */
  actualTps: rate,
  /** Rate of the last seconds, when the window ends early because the agent uses far less than it did; absent otherwise. */
  recentTps: rate.optional(),
  /** `chargedOps ÷ windowMs` in TPS. */
  meanTps: rate,
  /** Most operations charged within one second. */
  peakSecondTps: rate,
  /** Operations waiting for credits at the moment of the report. */
  parkedOps: count,
  /** Object bytes read from sources and written to targets in the window. */
  bytesRead: count,
  bytesWritten: count,
});
export type WindowUsage = z.infer<typeof windowUsage>;
