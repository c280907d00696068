import { MAX_SHARDS_PER_JOB, type ProgressRequest } from '@weir/protocol';
import type { StoredJob } from '../ports/job-store.ts';
import type { ConsoleContext } from './context.ts';

/** Parts that one range is split into at most while it runs. */
const PARTS_AT_MOST = 8;

/**
 * Into how many parts the range of a lease should be split now: one for its holder and one for each agent that waits for
 * work, could do this job and holds less; 0: it should not. Nothing is queued while agents wait, so what they could do is with others.
 */
export function partsWanted(
  context: Pick<ConsoleContext, 'desk' | 'fleet' | 'leases' | 'clock'>,
  agentId: string,
  report: Pick<ProgressRequest, 'leaseId' | 'canSplit' | 'trouble' | 'holdoff'>,
  { needsVersion }: Pick<StoredJob, 'needsVersion'>,
  shardsOfJob: number,
): number {
  if (!report.canSplit || report.trouble !== null || report.holdoff !== null) return 0;
  const load = context.leases.load(agentId);
  const idle = [...context.desk.idleAgents()].filter((other) => {
    const version = context.fleet.get(other)?.protocolVersion ?? 0;
    return other !== agentId && version >= needsVersion && context.leases.load(other) < load;
  });
  const parts = Math.min(idle.length + 1, PARTS_AT_MOST, MAX_SHARDS_PER_JOB - shardsOfJob + 1);
  return parts >= 2 && context.leases.askForSplit(report.leaseId, context.clock.steadyMs()) ? parts : 0;
}
