import { z } from 'zod';
import { count, displayName, id, rate, timestampMs } from './identifiers.ts';
import { MAX_LISTED_AGENTS, MAX_SEARCH_CHARACTERS } from './limits.ts';
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

/** Which agents to list. */
export const agentQuery = z.object({
  /** Only agents whose name or host contains this, whatever its case. */
  name: z.string().max(MAX_SEARCH_CHARACTERS).optional(),
  rows: z.coerce.number().int().min(1).max(MAX_LISTED_AGENTS).default(MAX_LISTED_AGENTS),
  /** Whether revoked agents are listed too; absent: they are. */
  revoked: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true'),
});
/** The query as the console reads it. */
export type AgentQuery = z.infer<typeof agentQuery>;

/** Agents of the whole fleet, whatever the query. */
export const agentTotals = z.object({
  /** Those that may work. */
  registeredAgents: count,
  onlineAgents: count,
  runningAgents: count,
  revokedAgents: count,
  /** Online agents with an older protocol than the console's, and the oldest of theirs; null: there are none. */
  olderProtocol: z.object({ agents: count, oldestVersion: z.number().int().nonnegative() }).nullable(),
});
export type AgentTotals = z.infer<typeof agentTotals>;

/**
 * In the order of enrolment; where more match than may be listed, those first that need a look (`attentionRank`), and revoked
 * ones in the half of the list that is kept for them.
 */
export const agentList = z.object({
  agents: z.array(agentView),
  /** Agents that match the query; absent: `agents` holds all there are. */
  matchingAgents: count.optional(),
  /** Absent: they can be counted in `agents`. */
  totals: agentTotals.optional(),
});
export type AgentList = z.infer<typeof agentList>;

/** What decides how much an agent needs a look. */
export interface AgentCondition {
  revoked: boolean;
  /** It holds a part of a job that it cannot work on. */
  inTrouble: boolean;
  inHoldoff: boolean;
  limiter: boolean;
  status: AgentView['status'];
}

/** 0 for the agents that need a look most: trouble, holdoff, unthrottled, running, idle, offline, revoked (6). */
export function attentionRank({ revoked, inTrouble, inHoldoff, limiter, status }: AgentCondition): number {
  if (revoked) return 6;
  if (inTrouble) return 0;
  if (inHoldoff) return 1;
  if (!limiter) return 2;
  return { running: 3, idle: 4, offline: 5 }[status];
}

/** What an operator copies to enrol a new agent. */
export const enrolmentInfo = z.object({
  token: z.string(),
  /** For a shell; it names each of `consoleUrls`. */
  command: z.string(),
  /** Of a group all consoles that are known, the leader first; a console of an older version does not tell. */
  consoleUrls: z.array(z.string()).optional(),
});
export type EnrolmentInfo = z.infer<typeof enrolmentInfo>;
