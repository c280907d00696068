import type { AgentView } from '@weir/protocol';
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
    const stored = context.fleet.revoke(agent);
    context.coordinator.forget(agentId);
    context.governing.forget(agentId);
    context.desk.dismiss(agentId);
    await context.storage.transaction(async (stores) => {
      await stores.agents.save([stored]);
      await audit(context, stores, { actor, action: 'agent.revoke', subject: agentId, detail: { name: agent.name } });
    });
    await returnLeases(context, context.leases.heldBy(agentId), 'agent revoked');
  }
  return agentViewOf(context, agent);
}
