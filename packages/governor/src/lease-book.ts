interface Lease {
  credits: number;
  untilMs: number;
}

/** The lease rule on paper: what is leased at an instant never adds up to more than a budget. */
export class LeaseBook {
  readonly #leases = new Map<string, Lease>();
  #live = 0;

  /** Leases as much as is free. The holder's lease before ends first. */
  lease(holder: string, wanted: number, budget: number, nowMs: number, untilMs: number): number {
    this.end(holder);
    if (this.#live + wanted > budget) this.#expire(nowMs);
    const credits = Math.max(0, Math.min(wanted, budget - this.#live));
    this.#leases.set(holder, { credits, untilMs });
    this.#live += credits;
    return credits;
  }

  end(holder: string): void {
    const lease = this.#leases.get(holder);
    if (lease === undefined) return;
    this.#leases.delete(holder);
    this.#live -= lease.credits;
  }

  #expire(nowMs: number): void {
    for (const [holder, lease] of this.#leases) if (lease.untilMs <= nowMs) this.end(holder);
  }
}
