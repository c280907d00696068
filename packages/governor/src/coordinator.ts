/**
 * The coordinator: shares one budget over a fleet, one per console, all state in memory.
 *
 * One agent, seen from here:
 *
 *                    runs a job, limiter on: first grant = equal split (D7)
 *   idle ───────────────────────────────────────────────────────────────────▶ running ⟲ heartbeat: next grant
 *    ▲ ▲  ◀───────────── no running job (also a holdoff): share 0 ─────────────┘   │
 *    │ │                                                                           │
 *    │ └── waiting ◀── runs a job, limiter off; limiter switched on or off ◀───────┤
 *    │        └─────── next heartbeat with the limiter on: first grant ──▶ running │
 *    │                                                                             │
 *   any heartbeat ◀── stale ◀── silent for more than three windows ◀───────────────┘ (from any state)
 *
 *   unthrottled: heartbeats with `limiter: false`; listed, takes no share. Leaves by a heartbeat with `limiter: true`.
 *
 * Only `running` agents are in the split. What a running agent has does not change between its own heartbeats (D5): a
 * recompute in between moves projections, not grants. A stale agent leaves the split and keeps its last allocation on
 * display; when it comes back it starts as if it came from idle.
 *
 * A heartbeat costs O(log n): agents stand in the order of their last sign of life, so that looking for stale ones
 * looks at the oldest only, and the split answers without a pass over the fleet (`fleet-split.ts`, `max-min-split.ts`).
 */
import { enforcedLimit } from './allocation.ts';
import type { WindowGrant } from './window-report.ts';
import { firstShare, type AllocationReason, type GrantReason } from './allocation-reason.ts';
import {
  claimAt,
  claimOf,
  isOfAnotherLife,
  type CoordinatorAgent,
  type CoordinatorReport,
} from './coordinator-agent.ts';
import { GrantDesk } from './grant-desk.ts';
import { SPLITS, type PolicyName } from './policies.ts';
import { Roster, seenFrom, type RosterAgent } from './roster.ts';
import type { Split } from './split.ts';
import { settle } from './settling.ts';
import { firstWindow, nextWindow, type WindowSchedule } from './window-schedule.ts';

/** Splits the budget. No I/O and no clock: every call brings the time. */
export class Coordinator {
  readonly #epoch: string;
  readonly #windowMs: number;
  #enabled: boolean;
  #limitTps: number;
  #policy: PolicyName;
  #split: Split;
  readonly #desk: GrantDesk;
  readonly #roster: Roster;
  /** The latest time that was passed in, on the roster's clock. */
  #now = 0;

  /**
   * @param options.epoch new for each start of the console.
   * @param options.windowSeconds length of a window, > 0.
   * @param options.globalLimitTps budget; below 100 counts as 100.
   * @param options.policy default `reclaim`.
   * @param options.settles whether a heartbeat before the end of its window settles it: the rest is granted anew, at the new
   *   rate, and the end stays. Default: with `max-min`. Otherwise it is paid for the time that has passed (D2).
   */
  constructor(options: {
    epoch: string;
    windowSeconds: number;
    enabled: boolean;
    globalLimitTps: number;
    policy?: PolicyName;
    settles?: boolean;
  }) {
    this.#epoch = options.epoch;
    this.#windowMs = options.windowSeconds * 1_000;
    this.#enabled = options.enabled;
    this.#limitTps = enforcedLimit(options.globalLimitTps);
    this.#policy = options.policy ?? 'reclaim';
    this.#desk = new GrantDesk(this.#epoch, this.#windowMs, options.settles ?? this.#policy === 'max-min');
    this.#split = new SPLITS[this.#policy](this.#limitTps);
    this.#roster = new Roster(this.#windowMs);
  }

  /** Settings have changed; each agent notices with its next heartbeat. `policy` absent: as before. */
  configure(settings: { enabled: boolean; globalLimitTps: number; policy?: PolicyName; settles?: boolean }): void {
    this.#limitTps = enforcedLimit(settings.globalLimitTps);
    this.#split.globalLimitTps = this.#limitTps;
    this.#follow(settings.policy ?? this.#policy);
    this.#desk.settles = settings.settles ?? this.#policy === 'max-min';
    if (settings.enabled === this.#enabled) return;
    this.#enabled = settings.enabled;
    for (const agent of this.#roster.all()) {
      if (agent.state === 'running') this.#withdraw(agent, 'waiting');
    }
  }

  /**
   * After a restart: agents whose last heartbeat was within three windows count as online, so that the first ones to
   * come back do not share the whole budget among themselves.
   */
  restore(agents: readonly { id: string; lastHeartbeatAtMs: number }[]): void {
    for (const { id, lastHeartbeatAtMs } of [...agents].sort((a, b) => a.lastHeartbeatAtMs - b.lastHeartbeatAtMs)) {
      this.#roster.restore(id, lastHeartbeatAtMs);
    }
  }

  /**
   * Records a report and answers with the credits for the next window.
   *
   * A report of the window that runs gets the next grant; a repeated one gets the same grant again; one that does not
   * know the current grant gets it again while it lasts, and a first grant afterwards. Early and late: see
   * `window-schedule.ts`.
   *
   * @returns null when the limiter is off, the agent has no running job, or it does not speak the limiter.
   */
  heartbeat(agentId: string, report: CoordinatorReport, nowMs: number): WindowGrant | null {
    const now = this.#advance(nowMs);
    const agent = this.#roster.signOfLife(agentId, report.limiter, now);
    agent.lastHeartbeatAtMs = nowMs;
    const actualTps = Number.isFinite(report.actualTps) ? Math.max(0, report.actualTps) : 0;
    if (!report.limiter) {
      this.#withdraw(agent, 'unthrottled');
      agent.actualTps = report.runningJobs > 0 ? actualTps : 0;
      return null;
    }
    if (report.runningJobs === 0) {
      this.#withdraw(agent, 'idle');
      agent.actualTps = 0;
      return null;
    }
    if (!this.#enabled) {
      this.#withdraw(agent, 'waiting');
      agent.actualTps = actualTps;
      return null;
    }
    const { grant, schedule } = agent;
    if (grant === null || schedule === null || agent.state !== 'running') {
      return this.#grantFirst(agent, isOfAnotherLife(report, this.#epoch) ? actualTps : null, now, nowMs, report);
    }
    if (report.epoch === this.#epoch && report.windowNumber === grant.windowNumber) {
      return this.#grantNext(agent, schedule, grant, actualTps, now, nowMs, report);
    }
    const repeated = agent.answered?.epoch === report.epoch && agent.answered.windowNumber === report.windowNumber;
    if (repeated || now < schedule.dueAtMs) return grant;
    return this.#grantFirst(agent, null, now, nowMs, report);
  }

  /**
   * An agent accepts a job: it gets an equal split of the budget over all online agents at once (D7).
   *
   * @returns null when it is active already, does not speak the limiter, or the limiter is off.
   */
  acceptJob(agentId: string, nowMs: number): WindowGrant | null {
    const now = this.#advance(nowMs);
    const known = this.#roster.get(agentId);
    const agent = this.#roster.signOfLife(agentId, known?.limiter ?? true, now);
    if (agent.state === 'running' || !agent.limiter) return null;
    if (!this.#enabled) {
      this.#withdraw(agent, 'waiting');
      return null;
    }
    return this.#grantFirst(agent, null, now, nowMs, null);
  }

  /**
   * The overshoot guard found less free than a grant was computed to be: the agent runs at a lower rate. Ignored when it has
   * another grant by now.
   * @param allocatedTps rate ≥ 0; more than computed changes nothing.
   * @returns the grant as it is then; null when it was not the agent's latest.
   */
  cut(agentId: string, windowNumber: number, allocatedTps: number): WindowGrant | null {
    const agent = this.#roster.get(agentId);
    if (agent === undefined || agent.grant === null || agent.grant.windowNumber !== windowNumber) return null;
    const grant = this.#desk.cut(agent, agent.grant, allocatedTps);
    if (agent.state === 'running') this.#split.put(agent.claim);
    return grant;
  }

  /** Why an agent has what it has: its latest grants of this epoch, newest first, at most two. */
  why(agentId: string): readonly GrantReason[] {
    const agent = this.#roster.get(agentId);
    return agent === undefined ? [] : this.#desk.why(agent);
  }

  /** What an agent runs with, in TPS; after it went stale the last that it ran with; 0 when it has no share or is unknown. */
  allocatedTps(agentId: string): number {
    return this.#roster.get(agentId)?.grant?.allocatedTps ?? 0;
  }

  /** When an agent's next heartbeat is wanted, in ms after its latest grant; null: it has none. */
  nextHeartbeatMs(agentId: string): number | null {
    const agent = this.#roster.get(agentId);
    return agent === undefined || agent.grant === null ? null : agent.nextBeatMs;
  }

  /** Active agents, and those among them that use (nearly) all they have. */
  get appetite(): { activeAgents: number; hungryAgents: number } {
    return { activeAgents: this.#split.size, hungryAgents: this.#split.hungry };
  }

  /** The agent was revoked or said goodbye; unknown ones are ignored. */
  forget(agentId: string): void {
    const agent = this.#roster.get(agentId);
    if (agent === undefined) return;
    this.#split.remove(agentId);
    this.#desk.forget(agent);
    this.#roster.forget(agentId);
  }

  /** To be called every window: agents that fell silent leave the split, the projections of the others follow. */
  tick(nowMs: number): void {
    this.#advance(nowMs);
  }

  /** All known agents, in the order in which they became known. A pass over the fleet. */
  snapshot(nowMs: number): CoordinatorAgent[] {
    this.#advance(nowMs);
    return Array.from(this.#roster.all(), (agent) => seenFrom(agent, this.#split.nextTps(agent.id) ?? 0));
  }

  #grantFirst(
    agent: RosterAgent,
    actualTps: number | null,
    now: number,
    nowMs: number,
    report: CoordinatorReport | null,
  ): WindowGrant {
    agent.state = 'running';
    agent.actualTps = actualTps ?? 0;
    agent.claim = claimOf(agent.id, report, actualTps);
    const schedule = firstWindow(agent.schedule, now, this.#windowMs);
    return this.#issue(agent, this.#firstShare(), schedule, 0, nowMs, report);
  }

  #grantNext(
    agent: RosterAgent,
    schedule: WindowSchedule,
    grant: WindowGrant,
    actualTps: number,
    now: number,
    nowMs: number,
    report: CoordinatorReport,
  ): WindowGrant {
    const { allocatedTps, creditBudget } = grant;
    const run = { schedule, allocatedTps, creditBudget, aheadCredits: agent.aheadCredits };
    const { schedule: next, aheadCredits } = this.#desk.settles
      ? settle(run, now, this.#windowMs, report.chargedOps ?? 0)
      : { schedule: nextWindow(schedule, now, this.#windowMs), aheadCredits: 0 };
    // What it charged ahead of its rate is used up: until the window ends nobody else can have that share.
    const usedUpTps = (aheadCredits * 1_000) / next.creditMs;
    agent.actualTps = actualTps;
    agent.claim = claimAt(claimOf(agent.id, report, actualTps), allocatedTps, usedUpTps);
    this.#split.put(agent.claim);
    return this.#issue(agent, this.#split.explain(agent.id) ?? this.#firstShare(), next, aheadCredits, nowMs, report);
  }

  #firstShare(): AllocationReason {
    return firstShare(this.#limitTps, this.#roster.sharing);
  }

  #issue(
    agent: RosterAgent,
    reason: AllocationReason,
    schedule: WindowSchedule,
    aheadCredits: number,
    nowMs: number,
    answered: CoordinatorReport | null,
  ): WindowGrant {
    const dueInMs = schedule.dueAtMs - this.#now;
    const grant = this.#desk.issue(agent, { reason, schedule, aheadCredits, answered, nowMs, dueInMs });
    this.#split.put(agent.claim);
    return grant;
  }

  #follow(policy: PolicyName): void {
    if (policy === this.#policy) return;
    this.#policy = policy;
    const split = new SPLITS[policy](this.#limitTps);
    for (const agent of this.#split.agents()) split.put(agent);
    this.#split = split;
  }

  /** Takes the share of an agent away; its schedule stays, so that coming back at once earns no second window. */
  #withdraw(agent: RosterAgent, state: 'idle' | 'waiting' | 'unthrottled'): void {
    this.#split.remove(agent.id);
    agent.state = state;
    agent.grant = null;
    agent.answered = null;
  }

  /** Lets time pass: agents that fell silent leave the split. Returns the time on the roster's clock. */
  #advance(nowMs: number): number {
    const { now, silent } = this.#roster.advance(nowMs);
    for (const agent of silent) this.#split.remove(agent.id);
    this.#now = now;
    return now;
  }
}
