import type { LiveAgent } from '../fleet/live-agent.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Refuses an agent that was revoked, or enrolled anew, while its request was being read: it must not come back into the
 * split or keep a shard.
 * @throws ConsoleError agent-revoked, wrong-credentials
 */
export function requireAcceptedAgent({ fleet }: Pick<ConsoleContext, 'fleet'>, agent: LiveAgent): void {
  if (fleet.byCredential(agent.credentialHash) !== agent) throw notAccepted(fleet, agent.credentialHash);
}

/** The refusal of a credential that no agent has: it was revoked, by whom if that is known, or there never was such a one. */
export function notAccepted(fleet: ConsoleContext['fleet'], credentialHash: string): ConsoleError {
  const revoked = fleet.revokedWith(credentialHash);
  if (revoked === undefined) {
    return new ConsoleError('wrong-credentials', 'The credential of this agent is unknown: enrol it again.');
  }
  const by = revoked.revokedBy === null ? '' : ` by ${revoked.revokedBy}`;
  const message = `The agent ${revoked.name} was revoked${by}: it has to enrol again to be let in.`;
  return new ConsoleError('agent-revoked', message);
}

/**
 * Refuses a process whose agent runs as another process by now: two that share a credential, as copies of one machine do,
 * would both spend the agent's share and take each other's shards away. The one that started last stays.
 * @throws ConsoleError wrong-credentials
 */
export function requireCurrentProcess(agent: LiveAgent, bootId: string): void {
  if (!agent.supersededBoots.includes(bootId)) return;
  throw new ConsoleError(
    'wrong-credentials',
    `Another process runs as agent ${agent.name} with the same credential since: give each its own name and state folder.`,
  );
}
