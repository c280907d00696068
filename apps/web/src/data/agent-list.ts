import { PROTOCOL_VERSION, type AgentList, type AgentTotals, type AgentView } from '@weir/protocol';

/** The agents that the console lists, and what it says of the whole fleet. */
export interface ListedAgents {
  agents: readonly AgentView[];
  /** Agents that match what was asked; `agents` may hold fewer. */
  matchingAgents: number;
  totals: AgentTotals;
}

/** The console's answer. An older one, which may lead while its group is upgraded, sends every agent and no totals. */
export function listedAgents({ agents, matchingAgents, totals }: AgentList): ListedAgents {
  return { agents, matchingAgents: matchingAgents ?? agents.length, totals: totals ?? totalsOf(agents) };
}

function totalsOf(agents: readonly AgentView[]): AgentTotals {
  const registered = agents.filter((agent) => !agent.revoked);
  const online = registered.filter((agent) => agent.status !== 'offline');
  const older = online.map((agent) => agent.protocolVersion).filter((version) => version < PROTOCOL_VERSION);
  return {
    registeredAgents: registered.length,
    onlineAgents: online.length,
    runningAgents: online.filter((agent) => agent.status === 'running').length,
    revokedAgents: agents.length - registered.length,
    olderProtocol: older.length === 0 ? null : { agents: older.length, oldestVersion: Math.min(...older) },
  };
}
