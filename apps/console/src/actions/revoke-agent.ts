import type { AgentView } from '@weir/protocol';
import { storedPart, type LiveAgent } from '../fleet/live-agent.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { agentViewOf } from './list-agents.ts';
import { returnLeases } from './return-leases.ts';

/**
 * Ends an agent's credential for good: it is not heard any more, its share goes to the others, its shards to the queue.
 * Revoking it again changes nothing.
 * @throws ConsoleError not-found
 */
export async function revokeAgent(context: ConsoleContext, agentId: string, actor: string): Promise<AgentView> {
  const agent = context.fleet.get(agentId);
  if (agent === undefined) throw new ConsoleError('not-found', `There is no agent ${agentId}.`);
  if (!agent.revoked) {
    context.fleet.revoke(agent, actor);
    context.coordinator.forget(agentId);
    context.governing.forget(agentId);
    context.desk.dismiss(agentId);
  }
  // Nobody is told that it is done before it is written, nor that it was done already when the database refused it.
  await context.fleet.revocations.settle(agentId, () => write(context, agent, actor));
  return agentViewOf(context, agent);
}

async function write(context: ConsoleContext, agent: LiveAgent, actor: string): Promise<void> {
  const { agentId, name } = agent;
  // An enrolment that failed meanwhile has put the agent of before in its place.
  const present = (): LiveAgent => context.fleet.get(agentId) ?? agent;
  try {
    await context.storage.transaction(async (stores) => {
      await stores.agents.save([storedPart(present())]);
      await audit(context, stores, { actor, action: 'agent.revoke', subject: agentId, detail: { name } });
    });
  } catch (error) {
    // It is not heard any more in any case: a restart must not bring it back, whether or not somebody asks again.
    context.fleet.unwritten.changed(present());
    throw error;
  }
  await returnLeases(context, context.leases.heldBy(agentId), 'agent revoked');
}
