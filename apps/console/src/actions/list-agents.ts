import type { AgentView } from '@weir/protocol';
import type { LiveAgent } from '../fleet/live-agent.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { troublesOf } from './job-troubles.ts';

/** All agents, in the order in which they were enrolled; revoked ones too. */
export function listAgents(context: ConsoleContext): AgentView[] {
  return context.fleet.all().map((agent) => agentViewOf(context, agent));
}

/** One agent as the Agents page shows it. */
export function agentViewOf(context: ConsoleContext, agent: LiveAgent): AgentView {
  const { nowMs, steadyMs } = momentOf(context);
  const online = context.fleet.isOnline(agent, steadyMs);
  const running = context.fleet.isRunning(agent, steadyMs);
  return {
    agentId: agent.agentId,
    name: agent.name,
    host: agent.host,
    version: agent.version,
    protocolVersion: agent.protocolVersion,
    status: running ? 'running' : online ? 'idle' : 'offline',
    limiter: agent.limiter,
    revoked: agent.revoked,
    enrolledAtMs: agent.enrolledAtMs,
    lastHeartbeatAtMs: agent.lastHeartbeatAtMs,
    runningJobs: running ? agent.runningJobs : 0,
    heldRanges: context.leases.load(agent.agentId),
    allocatedTps: context.coordinator.allocatedTps(agent.agentId),
    actualTps: running ? (agent.usage?.actualTps ?? 0) : 0,
    holdoffUntilMs: agent.holdoffUntilMs !== null && agent.holdoffUntilMs > nowMs ? agent.holdoffUntilMs : null,
    holdoffCount: agent.holdoffCount,
    troubles: online ? troublesOf(context, context.leases.heldBy(agent.agentId)) : [],
  };
}
