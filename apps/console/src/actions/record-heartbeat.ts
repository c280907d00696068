import type { CoordinatorReport } from '@weir/governor';
import { PROTOCOL_VERSION, type HeartbeatRequest, type HeartbeatResponse, type WindowRecord } from '@weir/protocol';
import { grantOf, type LastReport, type LiveAgent } from '../fleet/live-agent.ts';
import type { GuardedGrant } from '../fleet/overshoot-guard.ts';
import { rowFor } from '../fleet/window-rows.ts';
import type { ConsoleContext } from './context.ts';
import { momentOf } from './context.ts';
import { letAlarmsFire } from './evaluate-alarms.ts';
import { limiterInstructions } from './limiter-instructions.ts';
import { requireAcceptedAgent, requireCurrentProcess } from './require-accepted-agent.ts';
import { requireProtocolVersion } from './protocol-version.ts';
import { returnLeases } from './return-leases.ts';

/** `answerHeartbeat`, for whoever waits in any case. @throws ConsoleError as that does */
export async function recordHeartbeat(
  context: ConsoleContext,
  agent: LiveAgent,
  request: HeartbeatRequest,
): Promise<HeartbeatResponse> {
  return answerHeartbeat(context, agent, request);
}

/**
 * Takes an agent's report of the window that ended and answers with its next grant. No database access on this path: the
 * coordinator decides in memory, and what is to be kept is written behind in batches. A promise only where there is something
 * to wait for (the ledger of a group): each wait would be a turn of its own for thousands of
 * heartbeats a second.
 * @throws ConsoleError wrong-credentials, protocol-too-old
 */
export function answerHeartbeat(
  context: ConsoleContext,
  agent: LiveAgent,
  request: HeartbeatRequest,
): HeartbeatResponse | Promise<HeartbeatResponse> {
  requireAcceptedAgent(context, agent);
  requireCurrentProcess(agent, request.bootId);
  requireProtocolVersion(context, request.protocolVersion);
  const moment = momentOf(context);
  const { governing, limits, fleet } = context;
  const restarted = agent.bootId !== null && agent.bootId !== request.bootId;
  fleet.heartbeat(agent, request, moment, governing.limitTps * limits.windowSeconds);
  governing.refresh(moment, fleet.takeSlowDowns());
  const record = agent.usage && recordOf(context, agent, agent.usage, moment.nowMs);
  const windowMs = limits.windowSeconds * 1_000;
  const row = record && rowFor(agent, record, { steadyMs: moment.steadyMs, windowMs });
  if (row !== null) context.windows.add(row);
  const computed = context.coordinator.heartbeat(agent.agentId, reportOf(context, agent, request), moment.steadyMs);
  const asked = { agentId: agent.agentId, bootId: request.bootId, ends: request.usage };
  const secured = governing.secure(asked, computed, moment.steadyMs);
  const heard = { agent, restarted, nowMs: moment.nowMs };
  return secured instanceof Promise
    ? secured.then((grant) => answered(context, heard, grant))
    : answered(context, heard, secured);
}

function answered(
  context: ConsoleContext,
  { agent, restarted, nowMs }: { agent: LiveAgent; restarted: boolean; nowMs: number },
  { grant, askAgainSeconds }: GuardedGrant,
): HeartbeatResponse {
  if (grant !== null) context.fleet.granted(agent, grant);
  context.count('heartbeat');
  letAlarmsFire(context, nowMs);
  // A new process knows nothing of the shards that the old one held.
  if (restarted) context.pending.add(returnLeasesOf(context, agent));
  return {
    limiter: limiterInstructions(context.governor),
    grant,
    nextHeartbeatSeconds: askAgainSeconds ?? context.limits.windowSeconds,
    consoleTimeMs: nowMs,
    protocolVersion: PROTOCOL_VERSION,
  };
}

/** An agent without a grant stands still, and so does not wait for this. Leases that cannot be returned now lapse. */
async function returnLeasesOf(context: ConsoleContext, { agentId, name }: LiveAgent): Promise<void> {
  try {
    await returnLeases(context, context.leases.heldBy(agentId), 'agent restarted');
  } catch (error) {
    context.log.warn(
      { agent: name, error: String(error) },
      'leases of a restarted agent could not be returned; they lapse',
    );
  }
}

/** From this part of the window on, waiting means that the agent wants more than its rate can tell. */
const LIMITED_FROM = 0.9;

function reportOf(context: ConsoleContext, agent: LiveAgent, request: HeartbeatRequest): CoordinatorReport {
  const { usage } = agent;
  const waitedMs = (usage?.pacedMs ?? 0) + (usage?.exhaustedMs ?? 0);
  return {
    epoch: usage?.epoch ?? null,
    windowNumber: usage?.windowNumber ?? null,
    runningJobs: request.runningJobs,
    limiter: request.limiter,
    actualTps: usage?.actualTps ?? 0,
    chargedOps: usage?.chargedOps ?? 0,
    ...(usage?.recentTps !== undefined && { recentTps: usage.recentTps }),
    // What waited nearly all the time tells by its rate nothing of what it would send.
    limited: usage !== null && waitedMs >= LIMITED_FROM * usage.windowMs,
    ...context.governing.claimOf(agent.agentId, context.clock.steadyMs()),
  };
}

/**
 * What is kept of a window: of one that this console granted, or, once per agent, of one that an earlier life of it did.
 * Anything else an agent could make up, as many as it likes.
 */
function recordOf(
  context: ConsoleContext,
  agent: LiveAgent,
  usage: LastReport,
  endedAtMs: number,
): WindowRecord | null {
  const granted = grantOf(agent, usage);
  if (granted === null) {
    if (agent.toldOfEarlierLife || !context.governing.earlierEpochs.has(usage.epoch)) return null;
    agent.toldOfEarlierLife = true;
  }
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
