import { attentionRank, type AgentView } from '@weir/protocol';
import type { SortOrder } from '../../components/table.tsx';

/** Columns of the agents that sort. */
export type AgentSortKey = 'name' | 'status' | 'version' | 'heartbeat' | 'jobs' | 'tps' | 'holdoffs';

/** Agents in the chosen order; equal ones by name. */
export function sortAgents(agents: readonly AgentView[], order: SortOrder<AgentSortKey>): AgentView[] {
  const sign = order.descending ? -1 : 1;
  return [...agents].sort((a, b) => sign * compareBy(order.key, a, b) || compareTexts(a.name, b.name));
}

function compareBy(key: AgentSortKey, a: AgentView, b: AgentView): number {
  switch (key) {
    case 'name':
      return compareTexts(a.name, b.name);
    case 'status':
      return statusRank(a) - statusRank(b);
    case 'version':
      return compareTexts(a.version, b.version);
    case 'heartbeat':
      return (a.lastHeartbeatAtMs ?? 0) - (b.lastHeartbeatAtMs ?? 0);
    case 'jobs':
      return a.runningJobs - b.runningJobs || a.heldRanges - b.heldRanges;
    case 'tps':
      return a.actualTps - b.actualTps;
    case 'holdoffs':
      return a.holdoffCount - b.holdoffCount;
    default:
      return key satisfies never;
  }
}

/** `agent-2` before `agent-10`, `0.9.0` before `0.10.0`. */
function compareTexts(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** What needs a look comes first. */
function statusRank({ troubles, holdoffUntilMs, ...agent }: AgentView): number {
  return attentionRank({ ...agent, inTrouble: troubles.length > 0, inHoldoff: holdoffUntilMs !== null });
}

/** Agents whose name or host contains `filter`, whatever its case; revoked ones when they are wanted. */
export function filterAgents(agents: readonly AgentView[], filter: string, revoked: boolean): AgentView[] {
  const wanted = filter.trim().toLocaleLowerCase();
  return agents.filter(
    (agent) =>
      (revoked || !agent.revoked) && [agent.name, agent.host].some((text) => text.toLocaleLowerCase().includes(wanted)),
  );
}
