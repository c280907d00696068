import type { ShardTrouble } from '@weir/protocol';

/** A lease that is held now. */
export interface WatchedLease {
  leaseId: string;
  shardId: string;
  jobId: string;
  agentId: string;
}

/** What the last report on a lease said that is not kept longer than the lease. */
export interface LeaseNews {
  /** Why it does not go on, with when that began and when the next try is, in ms since 1970; null: nothing is wrong. */
  trouble: (Pick<ShardTrouble, 'code' | 'message'> & { sinceMs: number; nextRetryAtMs: number | null }) | null;
  /** Object bytes that it moved over the network so far. */
  trafficBytes: number;
}

interface Held extends WatchedLease, LeaseNews {
  beganAtSteadyMs: number;
  heardAtSteadyMs: number;
  /** Before this it is not asked to split (again), and how often it was asked since its last split. */
  maySplitAtSteadyMs: number;
  splitsAsked: number;
}

/** A range must have run for so long before it is worth splitting, in ms: small ones are done by then. */
const RUNS_LONG_MS = 5_000;
/** Pause after a request to split, in ms; doubled each time that nothing came of it, up to the latter. */
const ASK_AGAIN_MS = 15_000;
const ASK_AGAIN_AT_MOST_MS = 240_000;

/**
 * When each lease was last heard of, and what it said. In memory and on the steady clock: a jump of the wall clock ends no
 * lease, and after a restart every lease gets its full time again, since its agent could not report while the console was
 * away.
 */
export class LeaseWatch {
  readonly #leases = new Map<string, Held>();
  readonly #byAgent = new Map<string, Set<Held>>();
  /** Those in trouble, by agent: whoever lists a fleet asks it of every agent. */
  readonly #troubled = new Map<string, Set<Held>>();

  /** Begins to watch a lease. */
  begin(lease: WatchedLease, steadyMs: number): void {
    this.end(lease.leaseId);
    const held: Held = {
      ...lease,
      trouble: null,
      trafficBytes: 0,
      beganAtSteadyMs: steadyMs,
      heardAtSteadyMs: steadyMs,
      maySplitAtSteadyMs: steadyMs + RUNS_LONG_MS,
      splitsAsked: 0,
    };
    this.#leases.set(lease.leaseId, held);
    enter(this.#byAgent, held);
  }

  /** Its agent says something about it, which is not taken yet; ignored when it is the lease of another. */
  heardFrom(leaseId: string, agentId: string, steadyMs: number): void {
    const lease = this.#leases.get(leaseId);
    if (lease?.agentId === agentId) lease.heardAtSteadyMs = steadyMs;
  }

  /** Its agent reported on it. @returns object bytes moved since the report before */
  heard(leaseId: string, steadyMs: number, news?: LeaseNews): number {
    const lease = this.#leases.get(leaseId);
    if (lease === undefined) return 0;
    lease.heardAtSteadyMs = steadyMs;
    if (news === undefined) return 0;
    const moved = Math.max(0, news.trafficBytes - lease.trafficBytes);
    lease.trouble = news.trouble;
    if (news.trouble === null) leave(this.#troubled, lease);
    else enter(this.#troubled, lease);
    lease.trafficBytes = Math.max(lease.trafficBytes, news.trafficBytes);
    return moved;
  }

  /** Whether a lease may be asked to split now; if so, it will not be again for a while. */
  askForSplit(leaseId: string, steadyMs: number): boolean {
    const lease = this.#leases.get(leaseId);
    if (lease === undefined || steadyMs < lease.maySplitAtSteadyMs) return false;
    const pauseMs = Math.min(ASK_AGAIN_AT_MOST_MS, ASK_AGAIN_MS * 2 ** lease.splitsAsked);
    lease.maySplitAtSteadyMs = steadyMs + pauseMs;
    lease.splitsAsked += 1;
    return true;
  }

  /** The lease was split: what is left of it may be split again once it has run long. */
  wasSplit(leaseId: string, steadyMs: number): void {
    const lease = this.#leases.get(leaseId);
    if (lease === undefined) return;
    lease.maySplitAtSteadyMs = steadyMs + RUNS_LONG_MS;
    lease.splitsAsked = 0;
  }

  /** The lease has ended; unknown ones are ignored. */
  end(leaseId: string): void {
    const lease = this.#leases.get(leaseId);
    if (lease === undefined) return;
    this.#leases.delete(leaseId);
    leave(this.#troubled, lease);
    leave(this.#byAgent, lease);
  }

  /** Leases that the agent holds. */
  load(agentId: string): number {
    return this.#byAgent.get(agentId)?.size ?? 0;
  }

  /** Leases of one job, or all. */
  held(jobId?: string): (WatchedLease & LeaseNews)[] {
    return [...this.#leases.values()].filter((lease) => jobId === undefined || lease.jobId === jobId);
  }

  heldBy(agentId: string): (WatchedLease & LeaseNews)[] {
    return [...(this.#byAgent.get(agentId) ?? [])];
  }

  /** Leases of the agent that are in trouble. */
  troubledOf(agentId: string): readonly (WatchedLease & LeaseNews)[] {
    return [...(this.#troubled.get(agentId) ?? [])];
  }

  isInTrouble(agentId: string): boolean {
    return this.#troubled.has(agentId);
  }

  /** Leases that were not heard of for longer than `maxAgeMs`. */
  overdue(steadyMs: number, maxAgeMs: number): WatchedLease[] {
    return [...this.#leases.values()].filter((lease) => steadyMs - lease.heardAtSteadyMs > maxAgeMs);
  }
}

function enter(byAgent: Map<string, Set<Held>>, lease: Held): void {
  const others = byAgent.get(lease.agentId);
  if (others === undefined) byAgent.set(lease.agentId, new Set([lease]));
  else others.add(lease);
}

function leave(byAgent: Map<string, Set<Held>>, lease: Held): void {
  const others = byAgent.get(lease.agentId);
  if (others?.delete(lease) === true && others.size === 0) byAgent.delete(lease.agentId);
}
