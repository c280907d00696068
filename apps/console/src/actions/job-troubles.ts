import type { TroubleView } from '@weir/protocol';
import type { LeaseNews, WatchedLease } from '../fleet/lease-watch.ts';
import type { ConsoleContext } from './context.ts';

/** Troubles that are shown of one job or agent: the longest; more say nothing new. */
const SHOWN = 20;

/** What agents say keeps them from working on these leases, the longest first, each agent and reason once a job. */
export function troublesOf(
  context: Pick<ConsoleContext, 'fleet'>,
  leases: readonly (WatchedLease & LeaseNews)[],
): TroubleView[] {
  const troubles = new Map<string, TroubleView>();
  for (const { agentId, jobId, trouble } of leases) {
    if (trouble === null) continue;
    const key = JSON.stringify([agentId, jobId, trouble.code]);
    const known = troubles.get(key);
    if (known !== undefined && known.sinceMs <= trouble.sinceMs) continue;
    troubles.set(key, { agentId, agentName: context.fleet.get(agentId)?.name ?? agentId, jobId, ...trouble });
  }
  return [...troubles.values()].sort((a, b) => a.sinceMs - b.sinceMs).slice(0, SHOWN);
}
