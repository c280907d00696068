/** A lease that is held now. */
export interface WatchedLease {
  leaseId: string;
  shardId: string;
  jobId: string;
  agentId: string;
}

/**
 * When each lease was last heard of. In memory and on the steady clock: a jump of the wall clock ends no lease, and after
 * a restart every lease gets its full time again, since its agent could not report while the console was away.
 */
export class LeaseWatch {
  readonly #leases = new Map<string, WatchedLease & { heardAtSteadyMs: number }>();
  readonly #load = new Map<string, number>();

  /** Begins to watch a lease. */
  begin(lease: WatchedLease, steadyMs: number): void {
    this.end(lease.leaseId);
    this.#leases.set(lease.leaseId, { ...lease, heardAtSteadyMs: steadyMs });
    this.#load.set(lease.agentId, this.load(lease.agentId) + 1);
  }

  /** Its agent reported on it. */
  heard(leaseId: string, steadyMs: number): void {
    const lease = this.#leases.get(leaseId);
    if (lease !== undefined) lease.heardAtSteadyMs = steadyMs;
  }

  /** The lease has ended; unknown ones are ignored. */
  end(leaseId: string): void {
    const lease = this.#leases.get(leaseId);
    if (lease === undefined) return;
    this.#leases.delete(leaseId);
    const load = this.load(lease.agentId) - 1;
    if (load > 0) this.#load.set(lease.agentId, load);
    else this.#load.delete(lease.agentId);
  }

  /** Leases that the agent holds. */
  load(agentId: string): number {
    return this.#load.get(agentId) ?? 0;
  }

  /** Leases of one job, or all. */
  held(jobId?: string): WatchedLease[] {
    return [...this.#leases.values()].filter((lease) => jobId === undefined || lease.jobId === jobId);
  }

  heldBy(agentId: string): WatchedLease[] {
    return [...this.#leases.values()].filter((lease) => lease.agentId === agentId);
  }

  /** Leases that were not heard of for longer than `maxAgeMs`. */
  overdue(steadyMs: number, maxAgeMs: number): WatchedLease[] {
    return [...this.#leases.values()].filter((lease) => steadyMs - lease.heardAtSteadyMs > maxAgeMs);
  }
}
