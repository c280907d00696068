import type { LiveAgent } from '../fleet/live-agent.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Refuses an agent that was revoked, or enrolled anew, while its request was being read: it must not come back into the
 * split or keep a shard.
 * @throws ConsoleError wrong-credentials
 */
export function requireAcceptedAgent(context: Pick<ConsoleContext, 'fleet'>, agent: LiveAgent): void {
  if (context.fleet.byCredential(agent.credentialHash) === agent) return;
  throw new ConsoleError('wrong-credentials', 'The credential of this agent is unknown or revoked: enrol it again.');
}
