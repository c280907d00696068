import {
  attentionRank,
  MAX_LISTED_AGENTS,
  PROTOCOL_VERSION,
  type AgentList,
  type AgentQuery,
  type AgentTotals,
  type AgentView,
} from '@weir/protocol';
import type { Moment } from '../fleet/fleet.ts';
import type { LiveAgent } from '../fleet/live-agent.ts';
import { contains, Shortlist } from '../fleet/shortlist.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { troublesOf } from './job-troubles.ts';

type Seen = Pick<ConsoleContext, 'fleet' | 'leases'>;

/**
 * The agents that match, in the order in which they were enrolled; where they are more than wanted, those that need a look
 * first. Nobody needs to look at revoked ones: where they are wanted too, half of the list is kept for them. The totals are
 * always of the whole fleet.
 * @param wanted default: 2,000 agents, revoked ones too
 */
export async function listAgents(
  context: ConsoleContext,
  { name, rows = MAX_LISTED_AGENTS, revoked = true }: Partial<AgentQuery> = {},
): Promise<AgentList> {
  const moment = momentOf(context);
  const { fleet } = context;
  const isWanted = contains(name);
  const listed = new Shortlist(rows);
  const totals = new Totals();
  await fleet.reviewAll(moment.steadyMs, (agent) => {
    const status = statusOf(fleet, agent, moment);
    totals.add(agent, status);
    if (agent.revoked && !revoked) return;
    if (!isWanted(agent.name) && !isWanted(agent.host)) return;
    if (agent.revoked) listed.addApart(agent);
    else listed.add(agent, -rankOf(context, agent, status, moment));
  });
  return {
    agents: listed.agents.map((agent) => viewOf(context, agent, moment)),
    matchingAgents: listed.matching,
    totals: totals.view,
  };
}

/** One agent as the Agents page shows it. */
export function agentViewOf(context: ConsoleContext, agent: LiveAgent): AgentView {
  return viewOf(context, agent, momentOf(context));
}

function viewOf(context: ConsoleContext, agent: LiveAgent, moment: Moment): AgentView {
  const status = statusOf(context.fleet, agent, moment);
  const running = status === 'running';
  return {
    agentId: agent.agentId,
    name: agent.name,
    host: agent.host,
    version: agent.version,
    protocolVersion: agent.protocolVersion,
    status,
    limiter: agent.limiter,
    revoked: agent.revoked,
    enrolledAtMs: agent.enrolledAtMs,
    lastHeartbeatAtMs: agent.lastHeartbeatAtMs,
    runningJobs: running ? agent.runningJobs : 0,
    heldRanges: context.leases.load(agent.agentId),
    allocatedTps: context.coordinator.allocatedTps(agent.agentId),
    actualTps: running ? (agent.usage?.actualTps ?? 0) : 0,
    holdoffUntilMs: isHeldOff(agent, moment) ? agent.holdoffUntilMs : null,
    holdoffCount: agent.holdoffCount,
    troubles: status === 'offline' ? [] : troublesOf(context, context.leases.troubledOf(agent.agentId)),
  };
}

function statusOf(fleet: ConsoleContext['fleet'], agent: LiveAgent, { steadyMs }: Moment): AgentView['status'] {
  if (!fleet.isOnline(agent, steadyMs)) return 'offline';
  return agent.runningJobs > 0 ? 'running' : 'idle';
}

function isHeldOff(agent: LiveAgent, { nowMs }: Moment): boolean {
  return agent.holdoffUntilMs !== null && agent.holdoffUntilMs > nowMs;
}

/** What the rank of its view would be, without making one. */
function rankOf({ leases }: Seen, agent: LiveAgent, status: AgentView['status'], moment: Moment): number {
  return attentionRank({
    revoked: agent.revoked,
    inTrouble: status !== 'offline' && leases.isInTrouble(agent.agentId),
    inHoldoff: isHeldOff(agent, moment),
    limiter: agent.limiter,
    status,
  });
}

/** What is said of the fleet as a whole. */
class Totals {
  readonly view: AgentTotals = {
    registeredAgents: 0,
    onlineAgents: 0,
    runningAgents: 0,
    revokedAgents: 0,
    olderProtocol: null,
  };

  add({ revoked, protocolVersion }: LiveAgent, status: AgentView['status']): void {
    const { view } = this;
    if (revoked) view.revokedAgents += 1;
    else view.registeredAgents += 1;
    if (status === 'offline') return;
    view.onlineAgents += 1;
    if (status === 'running') view.runningAgents += 1;
    if (protocolVersion >= PROTOCOL_VERSION) return;
    const { agents, oldestVersion } = view.olderProtocol ?? { agents: 0, oldestVersion: protocolVersion };
    view.olderProtocol = { agents: agents + 1, oldestVersion: Math.min(oldestVersion, protocolVersion) };
  }
}
