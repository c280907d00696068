import type { HeartbeatRequest, HeartbeatResponse, WindowRecord, WindowUsage } from '@weir/protocol';
import type { LiveAgent } from '../fleet/live-agent.ts';
import type { ConsoleContext } from './context.ts';
import { momentOf } from './context.ts';
import { evaluateAlarms } from './evaluate-alarms.ts';
import { limiterInstructions } from './limiter-instructions.ts';
import { requireAcceptedAgent, requireCurrentProcess } from './require-accepted-agent.ts';
import { requireProtocolVersion } from './protocol-version.ts';
import { returnLeases } from './return-leases.ts';

/**
 * Takes an agent's report of the window that ended and answers with its next grant. No database access on this path: the
 * coordinator decides in memory, and what is to be kept is written behind in batches.
 * @throws ConsoleError wrong-credentials, protocol-too-old
 */
export async function recordHeartbeat(
  context: ConsoleContext,
  agent: LiveAgent,
  request: HeartbeatRequest,
): Promise<HeartbeatResponse> {
  requireAcceptedAgent(context, agent);
  requireCurrentProcess(agent, request.bootId);
  requireProtocolVersion(context, request.protocolVersion);
  const moment = momentOf(context);
  const restarted = agent.bootId !== null && agent.bootId !== request.bootId;
  context.fleet.heartbeat(agent, request, moment);
  // A repeated report is written once: the history keeps the first record of each window.
  if (agent.usage !== null) context.windows.push(recordOf(agent, agent.usage, moment.nowMs));
  const report = {
    epoch: request.usage?.epoch ?? null,
    windowNumber: request.usage?.windowNumber ?? null,
    runningJobs: request.runningJobs,
    limiter: request.limiter,
    actualTps: agent.usage?.actualTps ?? 0,
  };
  const grant = context.coordinator.heartbeat(agent.agentId, report, moment.steadyMs);
  if (grant !== null) context.fleet.granted(agent, grant);
  context.count('heartbeat');
  await evaluateAlarms(context, { checkClear: false });
  // A new process knows nothing of the shards that the old one held.
  if (restarted) await returnLeases(context, context.leases.heldBy(agent.agentId), 'agent restarted');
  return {
    limiter: limiterInstructions(context.governor),
    grant,
    nextHeartbeatSeconds: context.limits.windowSeconds,
    consoleTimeMs: moment.nowMs,
  };
}

function recordOf(agent: LiveAgent, usage: WindowUsage, endedAtMs: number): WindowRecord {
  const granted = [agent.grant, agent.previousGrant].find(
    (grant) => grant?.epoch === usage.epoch && grant.windowNumber === usage.windowNumber,
  );
  return {
    agentId: agent.agentId,
    epoch: usage.epoch,
    windowNumber: usage.windowNumber,
    endedAtMs,
    windowMs: usage.windowMs,
    // A window that an earlier life of the console granted: only the agent knows what it was.
    allocatedTps: granted?.allocatedTps ?? (usage.windowMs === 0 ? 0 : (usage.creditBudget * 1_000) / usage.windowMs),
    creditBudget: granted?.creditBudget ?? usage.creditBudget,
    chargedOps: usage.chargedOps,
    actualTps: usage.actualTps,
    peakSecondTps: usage.peakSecondTps,
  };
}
