import type { AllocationWhy } from '@weir/protocol';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Why an agent has what it has, from the coordinator's memory: nothing for an agent that was granted nothing in this life
 * of the console.
 * @throws ConsoleError not-found
 */
export function explainAllocation(context: ConsoleContext, agentId: string): AllocationWhy {
  if (context.fleet.get(agentId) === undefined) throw new ConsoleError('not-found', `There is no agent ${agentId}.`);
  const nowMs = context.clock.steadyMs();
  const grants = context.coordinator.why(agentId).map(({ grantedAtMs, ...why }) => ({
    ...why,
    ageMs: Math.max(0, Math.round(nowMs - grantedAtMs)),
  }));
  return { agentId, grants };
}
