import {
  MAX_GLOBAL_LIMIT_TPS,
  PROTOCOL_VERSION,
  type HeartbeatRequest,
  type Holdoff,
  type WindowUsage,
} from '@weir/protocol';
import type { StoredAgent } from '../ports/agent-store.ts';
import type { LastReport, LiveAgent, RememberedGrant } from './live-agent.ts';
import { grantOf, liveAgent } from './live-agent.ts';
import { OwedWrites } from './owed-writes.ts';
import { UnwrittenAgents } from './unwritten-agents.ts';

/** Holdoffs are 30–300 s; a longer one that an agent speaks of is cut here. */
const MAX_HOLDOFF_MS = 86_400_000;

/** Agents that a review looks at in one turn: half a millisecond. */
const AGENTS_PER_TURN = 2_000;

/** Earlier processes of an agent that are remembered; one that still runs is heard, and refused, within a window. */
const MAX_SUPERSEDED = 16;

/** When something happened, on both clocks. */
export interface Moment {
  nowMs: number;
  steadyMs: number;
}

/**
 * All agents, in memory: who they are, and what their last heartbeat said. A heartbeat costs no database access and no pass
 * over the fleet: changes are collected for a batch, and the sum of actual TPS is kept up to date by differences.
 */
export class Fleet {
  readonly #agents = new Map<string, LiveAgent>();
  readonly #byCredential = new Map<string, LiveAgent>();
  /** By the credentials that revoked ones had, to tell them so. */
  readonly #revoked = new Map<string, LiveAgent>();
  /** Those that may work; their names differ. */
  readonly #byName = new Map<string, LiveAgent>();
  /** What heartbeats changed, to be written behind. */
  readonly unwritten: UnwrittenAgents = new UnwrittenAgents();
  /** Agents that were revoked, and are not written as such yet. */
  readonly revocations: OwedWrites = new OwedWrites();
  readonly #onlineMs: number;
  #totalTps = 0;
  #totalMeanTps = 0;
  /** Agents that add to the totals. */
  #counted = 0;
  #slowDowns = 0;

  /** `onlineMs`: an agent is online while its last heartbeat is at most this old. */
  constructor(onlineMs: number, agents: readonly StoredAgent[], start: Moment) {
    this.#onlineMs = onlineMs;
    for (const stored of agents) {
      const ageMs = stored.lastHeartbeatAtMs === null ? null : Math.max(0, start.nowMs - stored.lastHeartbeatAtMs);
      this.#put(liveAgent(stored, ageMs === null ? null : start.steadyMs - ageMs));
    }
  }

  #put(agent: LiveAgent): void {
    this.#agents.set(agent.agentId, agent);
    if (agent.revoked) {
      this.#revoked.set(agent.credentialHash, agent);
      return;
    }
    this.#byCredential.set(agent.credentialHash, agent);
    this.#byName.set(agent.name, agent);
  }

  #forget(agent: LiveAgent): void {
    this.#byCredential.delete(agent.credentialHash);
    this.#revoked.delete(agent.credentialHash);
    if (this.#byName.get(agent.name) === agent) this.#byName.delete(agent.name);
    this.#count(agent, 0, 0);
  }

  get(agentId: string): LiveAgent | undefined {
    return this.#agents.get(agentId);
  }

  /** The agent that holds a credential; undefined for an unknown or revoked one. */
  byCredential(credentialHash: string): LiveAgent | undefined {
    return this.#byCredential.get(credentialHash);
  }

  /** The agent whose credential this was until it was revoked. */
  revokedWith(credentialHash: string): LiveAgent | undefined {
    return this.#revoked.get(credentialHash);
  }

  /** Agents that may work. */
  registered(): LiveAgent[] {
    return [...this.eachRegistered()];
  }

  /** The same, one after the other, for a look at a large fleet; agents may come and go meanwhile. */
  *eachRegistered(): Generator<LiveAgent> {
    for (const agent of this.#agents.values()) if (!agent.revoked) yield agent;
  }

  /** How many agents may work. */
  get registeredSize(): number {
    return this.#byCredential.size;
  }

  /** The agent of a name that may work. */
  findByName(name: string): LiveAgent | undefined {
    return this.#byName.get(name);
  }

  /**
   * Looks at all agents that may work, a few thousand in each turn of the event loop, so that no heartbeat waits for a pass over
   * a large fleet; agents may come and go meanwhile. Those that have gone silent fall out of the totals.
   */
  async review(steadyMs: number, see: (agent: LiveAgent) => void = () => undefined): Promise<void> {
    await this.reviewAll(steadyMs, (agent) => {
      if (!agent.revoked) see(agent);
    });
  }

  /** The same, revoked agents too, in the order in which they were enrolled. */
  async reviewAll(steadyMs: number, see: (agent: LiveAgent) => void): Promise<void> {
    let seen = 0;
    for (const agent of this.#agents.values()) {
      if (agent.countedTps !== 0 && !this.isRunning(agent, steadyMs)) this.#count(agent, 0, 0);
      see(agent);
      seen += 1;
      if (seen % AGENTS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  isOnline(agent: LiveAgent, steadyMs: number): boolean {
    return !agent.revoked && agent.heardAtSteadyMs !== null && steadyMs - agent.heardAtSteadyMs <= this.#onlineMs;
  }

  /**
   * Newest version of the wire that an online agent speaks; null: none is online. Asked with each look at a job: it ends at the
   * first agent that speaks this console's own.
   */
  newestOnlineVersion(steadyMs: number): number | null {
    let newest: number | null = null;
    for (const agent of this.#agents.values()) {
      if (!this.isOnline(agent, steadyMs)) continue;
      newest = Math.max(newest ?? 0, agent.protocolVersion);
      if (newest >= PROTOCOL_VERSION) break;
    }
    return newest;
  }

  isRunning(agent: LiveAgent, steadyMs: number): boolean {
    return agent.runningJobs > 0 && this.isOnline(agent, steadyMs);
  }

  /** Adds an agent, or gives a known one its new credential. */
  enrol(stored: StoredAgent, moment: Moment): LiveAgent {
    const known = this.#agents.get(stored.agentId);
    if (known !== undefined) this.#forget(known);
    // Written later, it would bring the old credential back.
    if (known !== undefined) this.unwritten.forget(known);
    const agent = liveAgent(stored, moment.steadyMs);
    this.#put(agent);
    return agent;
  }

  /** Undoes an enrolment that could not be saved; `before` is the agent that it replaced. */
  withdraw(agentId: string, before: LiveAgent | undefined): void {
    const agent = this.#agents.get(agentId);
    if (agent !== undefined) this.#forget(agent);
    this.#agents.delete(agentId);
    if (before === undefined) return;
    // Somebody may have revoked it in the meantime.
    before.revoked = agent?.revoked ?? before.revoked;
    before.revokedBy = agent?.revokedBy ?? before.revokedBy;
    this.#put(before);
    this.unwritten.changed(before);
  }

  /**
   * Takes what a heartbeat says.
   * @param maxCredits what a window of any agent can hold at most, the bound for windows that this console did not grant;
   *   default: none.
   */
  heartbeat(
    agent: LiveAgent,
    request: HeartbeatRequest,
    moment: Moment,
    maxCredits: number = Number.MAX_SAFE_INTEGER,
  ): void {
    agent.lastHeartbeatAtMs = moment.nowMs;
    agent.heardAtSteadyMs = moment.steadyMs;
    if (saysNothingNew(agent, request)) this.unwritten.heard(agent);
    else this.unwritten.changed(agent);
    agent.protocolVersion = request.protocolVersion;
    agent.version = unchanged(agent.version, request.version);
    agent.host = unchanged(agent.host, request.host);
    if (agent.bootId !== null && agent.bootId !== request.bootId) {
      agent.supersededBoots = [...agent.supersededBoots, agent.bootId].slice(-MAX_SUPERSEDED);
    }
    agent.bootId = unchanged(agent.bootId, request.bootId);
    agent.limiter = request.limiter;
    agent.runningJobs = request.runningJobs;
    agent.usage = request.usage && believable(request.usage, grantOf(agent, request.usage), maxCredits);
    this.holdoff(agent, request.holdoff, moment);
    const usage = request.runningJobs > 0 ? agent.usage : null;
    this.#count(agent, usage?.actualTps ?? 0, usage?.meanTps ?? 0);
  }

  /** Notes a holdoff, or that there is none; a new one is counted once. */
  holdoff(agent: LiveAgent, holdoff: Holdoff | null, moment: Moment): void {
    const paused = agent.holdoffUntilMs !== null && agent.holdoffUntilMs > moment.nowMs;
    if (holdoff !== null && holdoff.remainingMs > 0) {
      if (!paused) {
        agent.holdoffCount += 1;
        this.#slowDowns += 1;
      }
      agent.holdoffUntilMs = moment.nowMs + Math.min(holdoff.remainingMs, MAX_HOLDOFF_MS);
    } else if (agent.holdoffUntilMs !== null) {
      agent.holdoffUntilMs = null;
    } else {
      return;
    }
    this.unwritten.changed(agent);
  }

  /** Holdoffs that began since this was last asked. */
  takeSlowDowns(): number {
    const slowDowns = this.#slowDowns;
    this.#slowDowns = 0;
    return slowDowns;
  }

  /** The agent was given work, which it will report with its next heartbeat. It runs now, so its last report counts again. */
  gaveWork(agent: LiveAgent, steadyMs: number): void {
    if (agent.revoked || agent.runningJobs > 0) return;
    agent.runningJobs = 1;
    if (this.isOnline(agent, steadyMs)) this.#count(agent, agent.usage?.actualTps ?? 0, agent.usage?.meanTps ?? 0);
  }

  /** Remembers a grant that was sent; the same one again changes nothing. */
  granted(agent: LiveAgent, grant: RememberedGrant): void {
    if (agent.grant?.epoch === grant.epoch && agent.grant.windowNumber === grant.windowNumber) return;
    agent.previousGrant = agent.grant;
    agent.grant = grant;
  }

  /** Takes away the credential for good; to be written down. @param by who did it, for the agent to be told */
  revoke(agent: LiveAgent, by: string): void {
    agent.revoked = true;
    agent.revokedBy = by;
    agent.runningJobs = 0;
    agent.usage = null;
    agent.holdoffUntilMs = null;
    this.#forget(agent);
    this.#revoked.set(agent.credentialHash, agent);
    this.revocations.owe(agent.agentId);
  }

  /** Sum of actual TPS over online running agents, as of the last heartbeats and the last `review`. */
  get totalActualTps(): number {
    return this.#totalTps;
  }

  /** Sum of what they charged over their whole windows, in TPS: what the budget is used for. */
  get totalMeanTps(): number {
    return this.#totalMeanTps;
  }

  #count(agent: LiveAgent, tps: number, meanTps: number): void {
    this.#counted += Number(tps > 0) - Number(agent.countedTps > 0);
    const countedMeanTps = tps > 0 ? meanTps : 0;
    // Rounding errors of the differences stay far below a millionth, and end when nobody is counted.
    const none = this.#counted === 0;
    this.#totalTps = none ? 0 : Math.max(0, this.#totalTps - agent.countedTps + tps);
    this.#totalMeanTps = none ? 0 : Math.max(0, this.#totalMeanTps - agent.countedMeanTps + countedMeanTps);
    agent.countedTps = tps;
    agent.countedMeanTps = countedMeanTps;
  }
}

/** What an object in parts costs: a window that holds less may be exceeded by one such charge. */
const LARGEST_CHARGE = 11;
/** Rates are taken over at least a second (D1). */
const SHORTEST_ACTIVE_MS = 1_000;

/**
 * A report, cut to what its window can have held: an agent that claims more, by mistake or on purpose, must not move the
 * totals, the alarm or the shares of others by it.
 * @param grant the grant of the window, if it is known
 */
function believable(usage: WindowUsage, grant: RememberedGrant | null, maxCredits: number): LastReport {
  const mostOps = Math.max(grant?.creditBudget ?? maxCredits, LARGEST_CHARGE);
  const activeMs = Math.min(SHORTEST_ACTIVE_MS, Math.max(1, usage.windowMs));
  const mostTps = Math.min(MAX_GLOBAL_LIMIT_TPS, (mostOps * 1_000) / activeMs);
  return {
    // The text of the grant is kept already.
    epoch: grant?.epoch ?? usage.epoch,
    windowNumber: usage.windowNumber,
    windowMs: usage.windowMs,
    creditBudget: usage.creditBudget,
    chargedOps: Math.min(usage.chargedOps, mostOps),
    exhaustedMs: usage.exhaustedMs,
    pacedMs: usage.pacedMs ?? 0,
    actualTps: Math.min(usage.actualTps, mostTps),
    recentTps: usage.recentTps,
    meanTps: Math.min(usage.meanTps, mostTps),
    peakSecondTps: Math.min(usage.peakSecondTps, mostTps),
    parkedOps: usage.parkedOps,
    bytesRead: usage.bytesRead,
    bytesWritten: usage.bytesWritten,
  };
}

/** Whether a heartbeat leaves all that is kept of its agent as it is, but for when it came. A holdoff is noted by itself. */
function saysNothingNew(agent: LiveAgent, said: HeartbeatRequest): boolean {
  return (
    agent.bootId === said.bootId &&
    agent.version === said.version &&
    agent.host === said.host &&
    agent.protocolVersion === said.protocolVersion &&
    agent.limiter === said.limiter
  );
}

/** The text that is kept already when it is the same: every request brings one of its own. */
function unchanged(kept: string | null, said: string): string {
  return kept === said ? kept : said;
}
