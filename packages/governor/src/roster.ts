import type { RunningAgent } from './allocation.ts';
import type { WindowGrant } from './window-report.ts';
import { LinkedQueue, type Linked } from './linked-queue.ts';
import { claimOf, type CoordinatorAgent } from './coordinator-agent.ts';
import type { Page } from './reason-book.ts';
import type { WindowSchedule } from './window-schedule.ts';

/** An agent is online while its last sign of life is at most this many windows old. */
export const ONLINE_WINDOWS = 3;

/** What the coordinator remembers of an agent. States: see `coordinator.ts`. */
export interface RosterAgent extends Linked<RosterAgent> {
  readonly id: string;
  state: 'idle' | 'waiting' | 'running' | 'unthrottled' | 'stale';
  limiter: boolean;
  actualTps: number;
  windowNumber: number;
  /** What it runs with; null when it has no share. */
  grant: WindowGrant | null;
  schedule: WindowSchedule | null;
  /** Credits that it had charged ahead of its rate when its latest grant was made. */
  aheadCredits: number;
  /** When its next heartbeat is wanted, in ms after its latest grant. */
  nextBeatMs: number;
  /** What the split knows of it; replaced as a whole, because the split keeps it. */
  claim: Readonly<RunningAgent>;
  /** Where the reasons of its latest grants are; null before the first. */
  page: Page | null;
  /** Epoch and window of the report that the grant answered; null when it answered a job. */
  answered: { readonly epoch: string | null; readonly windowNumber: number | null } | null;
  /** On the roster's own clock, which never steps back. */
  seenAtMs: number;
  grantedAtMs: number | null;
  lastHeartbeatAtMs: number | null;
}

/**
 * Who is there. Online agents stand in the order of their last sign of life, so that finding the silent ones looks at
 * the oldest only: O(1) for each sign of life, O(1) for each agent that falls silent.
 */
export class Roster {
  readonly #onlineForMs: number;
  readonly #agents = new Map<string, RosterAgent>();
  readonly #online = new LinkedQueue<RosterAgent>();
  #sharing = 0;
  /** Highest window number of any forgotten agent: one that returns must not get a number twice. */
  #forgottenNumber = 0;
  #latestMs: number = Number.NEGATIVE_INFINITY;
  #steppedBackMs = 0;

  constructor(windowMs: number) {
    this.#onlineForMs = ONLINE_WINDOWS * windowMs;
  }

  /** Online agents that speak the limiter: those among whom an equal split is made. */
  get sharing(): number {
    return this.#sharing;
  }

  get(id: string): RosterAgent | undefined {
    return this.#agents.get(id);
  }

  /** All agents, in the order in which they became known. */
  all(): Iterable<RosterAgent> {
    return this.#agents.values();
  }

  /**
   * Lets time pass.
   *
   * @returns the time on a clock that never steps back, and the agents that have become stale by it.
   */
  advance(nowMs: number): { now: number; silent: readonly RosterAgent[] } {
    // A wall clock that is set back must not freeze windows until it has caught up again.
    if (nowMs + this.#steppedBackMs < this.#latestMs) this.#steppedBackMs = this.#latestMs - nowMs;
    const now = nowMs + this.#steppedBackMs;
    this.#latestMs = now;
    const silent: RosterAgent[] = [];
    for (let oldest = this.#online.head; oldest !== null; oldest = this.#online.head) {
      const silentMs = now - oldest.seenAtMs;
      // Negative: restored with a time that is still to come. That is no recent heartbeat either.
      if (silentMs >= 0 && silentMs <= this.#onlineForMs) break;
      this.#exit(oldest);
      oldest.state = 'stale';
      silent.push(oldest);
    }
    return { now, silent };
  }

  /** An agent is heard of: it becomes known and online. One that was stale starts again as idle. */
  signOfLife(id: string, limiter: boolean, now: number): RosterAgent {
    const agent = this.#agents.get(id) ?? this.#create(id);
    if (agent.state !== 'stale') this.#exit(agent);
    agent.limiter = limiter;
    this.#enter(agent, now);
    return agent;
  }

  /** Makes an agent known with its last heartbeat from before a restart; one that is known already stays as it is. */
  restore(id: string, lastHeartbeatAtMs: number): void {
    if (this.#agents.has(id)) return;
    const agent = this.#create(id);
    agent.lastHeartbeatAtMs = lastHeartbeatAtMs;
    this.#enter(agent, lastHeartbeatAtMs);
  }

  /** Removes an agent; unknown ones are ignored. */
  forget(id: string): void {
    const agent = this.#agents.get(id);
    if (agent === undefined) return;
    this.#agents.delete(id);
    this.#forgottenNumber = Math.max(this.#forgottenNumber, agent.windowNumber);
    if (agent.state !== 'stale') this.#exit(agent);
  }

  #create(id: string): RosterAgent {
    const agent: RosterAgent = {
      id,
      state: 'stale',
      limiter: true,
      actualTps: 0,
      windowNumber: this.#forgottenNumber,
      grant: null,
      schedule: null,
      aheadCredits: 0,
      nextBeatMs: 0,
      claim: claimOf(id, null, null),
      page: null,
      answered: null,
      seenAtMs: 0,
      grantedAtMs: null,
      lastHeartbeatAtMs: null,
      previous: null,
      next: null,
    };
    this.#agents.set(id, agent);
    return agent;
  }

  #enter(agent: RosterAgent, seenAtMs: number): void {
    agent.seenAtMs = seenAtMs;
    if (agent.state === 'stale') agent.state = agent.limiter ? 'idle' : 'unthrottled';
    this.#online.push(agent);
    if (agent.limiter) this.#sharing += 1;
  }

  #exit(agent: RosterAgent): void {
    this.#online.remove(agent);
    if (agent.limiter) this.#sharing -= 1;
  }
}

/** What can be seen of an agent from outside; `nextTps`: what it would be given now. */
export function seenFrom(agent: RosterAgent, nextTps: number): CoordinatorAgent {
  return {
    id: agent.id,
    online: agent.state !== 'stale',
    active: agent.state === 'running' || agent.state === 'waiting',
    limiter: agent.limiter,
    allocatedTps: agent.grant?.allocatedTps ?? 0,
    nextTps,
    actualTps: agent.actualTps,
    windowNumber: agent.windowNumber,
    creditBudget: agent.grant?.creditBudget ?? 0,
    grantedAtMs: agent.grantedAtMs,
    lastHeartbeatAtMs: agent.lastHeartbeatAtMs,
  };
}
