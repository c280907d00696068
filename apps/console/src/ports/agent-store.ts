/** An agent as it is kept. */
export interface StoredAgent {
  agentId: string;
  name: string;
  host: string;
  version: string;
  protocolVersion: number;
  limiter: boolean;
  revoked: boolean;
  /** SHA-256 of the agent's credential, hex. */
  credentialHash: string;
  enrolledAtMs: number;
  lastHeartbeatAtMs: number | null;
  /** Start of the agent's process that was heard last; null before the first heartbeat. */
  bootId: string | null;
  holdoffUntilMs: number | null;
  holdoffCount: number;
}

/** An agent that said nothing new in its last heartbeat, but for when that was. */
export type HeardAgent = Pick<StoredAgent, 'agentId' | 'lastHeartbeatAtMs'>;

/** Agents. Heartbeats are written behind, in batches; who exists is written at once. */
export interface AgentStore {
  all(): Promise<StoredAgent[]>;
  insert(agent: StoredAgent): Promise<void>;
  /** Replaces everything about these agents; unknown ids are ignored. */
  save(agents: readonly StoredAgent[]): Promise<void>;
  /** Replaces only when these agents were heard last; unknown ids are ignored. */
  saveHeard(agents: readonly HeardAgent[]): Promise<void>;
}
