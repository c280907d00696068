import type { WindowUsage } from '@weir/protocol';
import type { StoredAgent } from '../ports/agent-store.ts';
import type { RowAllowance } from './window-rows.ts';

/** What an agent reported last, as far as anybody asks later. */
export type LastReport = Omit<WindowUsage, 'chargedByType' | 'recentTps' | 'pacedMs'> & {
  recentTps: number | undefined;
  pacedMs: number;
};

/** A grant as the fleet remembers it, to say later what a reported window was allowed. */
export interface RememberedGrant {
  epoch: string;
  windowNumber: number;
  windowSeconds: number;
  allocatedTps: number;
  creditBudget: number;
}

/** An agent with what it said last. */
export interface LiveAgent extends StoredAgent {
  /** Steady time of the last heartbeat, or of the enrolment while there was none; null: not heard in this life. */
  heardAtSteadyMs: number | null;
  /** Jobs that it said to run, or 1 when it was given work since. */
  runningJobs: number;
  /** Its last report; null before the first. */
  usage: LastReport | null;
  /** What it adds to the totals of the fleet: while it had credits, and over the whole window. */
  countedTps: number;
  countedMeanTps: number;
  /** Processes that another one took over from, newest last: they are not heard any more. */
  supersededBoots: readonly string[];
  /** The grant that it runs under, and the one before. */
  grant: RememberedGrant | null;
  previousGrant: RememberedGrant | null;
  /** It has reported the window that an earlier life of this console granted it last. */
  toldOfEarlierLife: boolean;
  /** Who revoked it in this life of the console; null: nobody, or it was earlier. */
  revokedBy: string | null;
  /** Rows of the history that it may have; null before the first. */
  rows: RowAllowance | null;
}

const NO_BOOTS: readonly string[] = [];

/**
 * An agent that has said nothing in this life of the console. Written out: V8 gives each copy that is made by spreading a
 * hidden class of its own, which takes more memory than the agent and makes every access to it slow.
 * @param heardAtSteadyMs see `LiveAgent`
 */
export function liveAgent(stored: StoredAgent, heardAtSteadyMs: number | null): LiveAgent {
  return {
    agentId: stored.agentId,
    name: stored.name,
    host: stored.host,
    version: stored.version,
    protocolVersion: stored.protocolVersion,
    limiter: stored.limiter,
    revoked: stored.revoked,
    credentialHash: stored.credentialHash,
    enrolledAtMs: stored.enrolledAtMs,
    lastHeartbeatAtMs: stored.lastHeartbeatAtMs,
    bootId: stored.bootId,
    holdoffUntilMs: stored.holdoffUntilMs,
    holdoffCount: stored.holdoffCount,
    heardAtSteadyMs,
    runningJobs: 0,
    usage: null,
    countedTps: 0,
    countedMeanTps: 0,
    supersededBoots: NO_BOOTS,
    grant: null,
    previousGrant: null,
    toldOfEarlierLife: false,
    revokedBy: null,
    rows: null,
  };
}

/** The grant that a report is about, if this life of the console remembers it. */
export function grantOf(
  agent: LiveAgent,
  { epoch, windowNumber }: { epoch: string; windowNumber: number },
): RememberedGrant | null {
  for (const grant of [agent.grant, agent.previousGrant]) {
    if (grant?.epoch === epoch && grant.windowNumber === windowNumber) return grant;
  }
  return null;
}

/** Real bandwidth of a window in Mbit/s: object bytes in both directions. */
export function mbpsOf(usage: Pick<WindowUsage, 'windowMs' | 'bytesRead' | 'bytesWritten'> | null): number {
  if (usage === null || usage.windowMs === 0) return 0;
  return ((usage.bytesRead + usage.bytesWritten) * 8) / 1_000 / usage.windowMs;
}

/** The same agent without what only this life of the console knows. */
export function storedPart(agent: LiveAgent): StoredAgent {
  const { agentId, name, host, version, protocolVersion, limiter, revoked, credentialHash } = agent;
  const { enrolledAtMs, lastHeartbeatAtMs, bootId, holdoffUntilMs, holdoffCount } = agent;
  return {
    agentId,
    name,
    host,
    version,
    protocolVersion,
    limiter,
    revoked,
    credentialHash,
    enrolledAtMs,
    lastHeartbeatAtMs,
    bootId,
    holdoffUntilMs,
    holdoffCount,
  };
}
