import type { ConsoleContext } from '../../actions/context.ts';
import { explainAllocation } from '../../actions/explain-allocation.ts';
import { listAgents } from '../../actions/list-agents.ts';
import { listWindows } from '../../actions/list-windows.ts';
import { readHistory } from '../../actions/read-history.ts';
import { readMonitor } from '../../actions/read-monitor.ts';
import { revokeAgent } from '../../actions/revoke-agent.ts';
import { type Reachable, tellEnrolment } from '../../actions/tell-enrolment.ts';
import { personOf, type Handlers } from '../call.ts';

/** The monitor and the Agents page. */
export function fleetRoutes(
  context: ConsoleContext,
  reachable: () => Reachable,
): Pick<Handlers, 'monitor' | 'monitorHistory' | 'windows' | 'agents' | 'agentWhy' | 'revokeAgent' | 'enrolment'> {
  return {
    monitor: ({ query }) => readMonitor(context, query),
    monitorHistory: ({ query }) => readHistory(context, query.range),
    windows: async ({ query }) => ({ windows: await listWindows(context, query.limit) }),
    agents: ({ query }) => listAgents(context, query),
    agentWhy: ({ params }) => explainAllocation(context, params.agentId),
    revokeAgent: (call) => revokeAgent(context, call.params.agentId, personOf(call).username),
    enrolment: () => tellEnrolment(context, reachable()),
  };
}
