import { z } from 'zod';
import { count, displayName, id, rate, timestampMs } from './identifiers.ts';
import { costModel, transactionType } from './settings.ts';
import { troubleView } from './trouble.ts';
import { grant, windowUsage } from './windows.ts';

/** Sent once with the enrolment token: makes the agent known, answers with its own credential. */
export const enrolRequest = z.strictObject({
  name: displayName,
  host: z.string().max(255),
  version: z.string().max(64),
  protocolVersion: z.number().int().positive(),
});
export type EnrolRequest = z.infer<typeof enrolRequest>;

export const enrolResponse = z.object({
  agentId: id,
  /** Secret of this agent alone; shown this once, revocable at the console. */
  credential: z.string(),
  heartbeatSeconds: z.number().positive(),
});
export type EnrolResponse = z.infer<typeof enrolResponse>;

/** A pause of all jobs of an agent after 503 SlowDown that retries could not absorb. */
export const holdoff = z.object({
  /** Time left, in ms (a duration, so that clocks need not agree). */
  remainingMs: count,
  reason: z.string().max(500),
  jobId: id.nullable(),
});
export type Holdoff = z.infer<typeof holdoff>;

export const heartbeatRequest = z.strictObject({
  protocolVersion: z.number().int().positive(),
  version: z.string().max(64),
  host: z.string().max(255),
  /** New for each start of the agent's process. */
  bootId: id,
  /** Whether this agent charges operations against grants; false: it is listed as unthrottled. */
  limiter: z.boolean(),
  /** Jobs that run now; 0 during a holdoff. */
  runningJobs: count,
  /** The window that ends with this heartbeat; null before the first grant. */
  usage: windowUsage.nullable(),
  /** Operations charged at the safe rate while no console answered, since the last heartbeat that was; absent: none. */
  safeOps: count.optional(),
  holdoff: holdoff.nullable(),
});
export type HeartbeatRequest = z.infer<typeof heartbeatRequest>;

/** What an agent has to know to charge as the settings say. */
export const limiterInstructions = z.object({
  /** `off`: charge nothing, run unthrottled. */
  mode: z.enum(['enforced', 'off']),
  settingsVersion: z.number().int().nonnegative(),
  chargedTypes: z.array(transactionType),
  /** What requests cost; absent: `per-object`. */
  costModel: costModel.optional(),
  /** Credits are released evenly; absent: all at the start of the window. */
  pacing: z.object({ burstSeconds: z.number().positive() }).optional(),
  /** The next heartbeat may come before it is due when what the agent wants has changed; absent: never. */
  reportChanges: z.boolean().optional(),
  /** What this agent may do while no console answers, in TPS; absent: operations park. */
  safeTps: rate.optional(),
});
export type LimiterInstructions = z.infer<typeof limiterInstructions>;

export const heartbeatResponse = z.object({
  limiter: limiterInstructions,
  /** Credits for the next window; null when the limiter is off or the agent has no running job. */
  grant: grant.nullable(),
  /** When the next heartbeat is due, in seconds from now. */
  nextHeartbeatSeconds: z.number().positive(),
  consoleTimeMs: timestampMs,
  /** Version of the wire that this console speaks; absent: 1. */
  protocolVersion: z.number().int().positive().optional(),
});
export type HeartbeatResponse = z.infer<typeof heartbeatResponse>;

/** An agent as the Agents page shows it. */
export const agentView = z.object({
  agentId: id,
  name: displayName,
  host: z.string(),
  version: z.string(),
  protocolVersion: z.number().int().nonnegative(),
  /** `running`: has a running job · `idle`: online without one · `offline`: no heartbeat for three windows. */
  status: z.enum(['running', 'idle', 'offline']),
  limiter: z.boolean(),
  revoked: z.boolean(),
  enrolledAtMs: timestampMs,
  lastHeartbeatAtMs: timestampMs.nullable(),
  runningJobs: count,
  /** Key ranges of jobs that it works on now. */
  heldRanges: count,
  allocatedTps: rate,
  actualTps: rate,
  holdoffUntilMs: timestampMs.nullable(),
  holdoffCount: count,
  /** Parts of jobs that it holds and cannot work on, the longest first. */
  troubles: z.array(troubleView),
});
export type AgentView = z.infer<typeof agentView>;
export const agentList = z.object({ agents: z.array(agentView) });

/** What an operator copies to enrol a new agent. */
export const enrolmentInfo = z.object({ token: z.string(), command: z.string() });
export type EnrolmentInfo = z.infer<typeof enrolmentInfo>;
