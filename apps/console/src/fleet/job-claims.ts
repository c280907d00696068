import type { JobShare } from '@weir/protocol';

/** What an agent's jobs give it in the split. */
export interface AgentClaim {
  readonly weight: number;
  readonly minimumTps: number;
}

/** Who works on what is looked up at most this often, in ms: a pass over all leases must not be part of a heartbeat. */
const LOOKED_UP_EVERY_MS = 1_000;
const NO_CLAIM: AgentClaim = { weight: 1, minimumTps: 0 };

/**
 * Weights and guaranteed minimums of jobs, as claims of the agents that work on them: the largest weight of an agent's jobs
 * counts; a job's minimum is shared alike by its agents, and an agent has the minimums of all its jobs.
 */
export class JobClaims {
  readonly #leases: () => Iterable<{ readonly jobId: string; readonly agentId: string }>;
  #shares: ReadonlyMap<string, JobShare> = new Map();
  #claims: ReadonlyMap<string, AgentClaim> = new Map();
  #lookedUpAtMs: number = Number.NEGATIVE_INFINITY;

  /** @param leases who works on which job now. */
  constructor(leases: () => Iterable<{ readonly jobId: string; readonly agentId: string }>) {
    this.#leases = leases;
  }

  configure(shares: readonly JobShare[]): void {
    this.#shares = new Map(shares.map((share) => [share.jobId, share]));
    this.#claims = new Map();
    this.#lookedUpAtMs = Number.NEGATIVE_INFINITY;
  }

  of(agentId: string, steadyMs: number): AgentClaim {
    if (this.#shares.size === 0) return NO_CLAIM;
    if (steadyMs - this.#lookedUpAtMs >= LOOKED_UP_EVERY_MS) {
      this.#claims = claimsFrom(this.#leases(), this.#shares);
      this.#lookedUpAtMs = steadyMs;
    }
    return this.#claims.get(agentId) ?? NO_CLAIM;
  }
}

function claimsFrom(
  leases: Iterable<{ readonly jobId: string; readonly agentId: string }>,
  shares: ReadonlyMap<string, JobShare>,
): Map<string, AgentClaim> {
  const agentsOf = new Map<string, Set<string>>();
  for (const { jobId, agentId } of leases) {
    const agents = agentsOf.get(jobId) ?? new Set();
    agents.add(agentId);
    agentsOf.set(jobId, agents);
  }
  const claims = new Map<string, AgentClaim>();
  for (const [jobId, agents] of agentsOf) {
    const { weight = 1, minimumTps = 0 } = shares.get(jobId) ?? {};
    for (const agentId of agents) {
      const before = claims.get(agentId);
      claims.set(agentId, {
        weight: before === undefined ? weight : Math.max(before.weight, weight),
        minimumTps: (before?.minimumTps ?? 0) + minimumTps / agents.size,
      });
    }
  }
  return claims;
}
