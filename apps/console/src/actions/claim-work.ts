import type { Assignment, ClaimResponse } from '@weir/protocol';
import type { LiveAgent } from '../fleet/live-agent.ts';
import type { ConsoleContext } from './context.ts';
import { limiterInstructions } from './limiter-instructions.ts';
import { returnLeases } from './return-leases.ts';

/**
 * Hands out work, waiting for it up to `waitSeconds`. An agent that ran nothing gets an equal split of the budget at once
 * (D7), so that its first window is bounded too. `signal` aborts when the agent has gone.
 */
export async function claimWork(
  context: ConsoleContext,
  agent: LiveAgent,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<ClaimResponse> {
  const assignment = await context.desk.claim(agent.agentId, waitSeconds * 1_000, signal);
  // Revoked, or enrolled anew, while it waited: whoever asked could not report.
  const accepted = context.fleet.byCredential(agent.credentialHash) === agent;
  if (assignment !== null && (!accepted || signal.aborted)) {
    await giveBack(context, assignment);
    return { assignment: null, grant: null, limiter: limiterInstructions(context.governor) };
  }
  // With the overshoot guard the heartbeat that the agent sends at once brings the grant: its lease begins when it was asked.
  const grants = assignment !== null && !context.governing.guarded;
  const grant = grants ? context.coordinator.acceptJob(agent.agentId, context.clock.steadyMs()) : null;
  if (assignment !== null) context.fleet.gaveWork(agent, context.clock.steadyMs());
  if (grant !== null) context.fleet.granted(agent, grant);
  return { assignment, grant, limiter: limiterInstructions(context.governor) };
}

/** Puts an assignment back that did not reach its agent. */
export async function giveBack(context: ConsoleContext, assignment: Assignment): Promise<void> {
  const leases = context.leases.held(assignment.jobId).filter((lease) => lease.leaseId === assignment.leaseId);
  await returnLeases(context, leases, 'the assignment did not reach its agent', { dirty: false });
}
