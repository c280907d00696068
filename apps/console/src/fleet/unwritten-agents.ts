import type { HeardAgent, StoredAgent } from '../ports/agent-store.ts';
import { storedPart, type LiveAgent } from './live-agent.ts';

/** Agents to be written in one batch. */
export interface AgentBatch {
  /** Written whole. */
  readonly changed: readonly StoredAgent[];
  /** Said nothing new: only when they were heard is written, a fraction of the work. */
  readonly heard: readonly HeardAgent[];
}

/** Agents that changed since they were last written: those that waited longest first. */
export class UnwrittenAgents {
  readonly #changed = new Set<LiveAgent>();
  readonly #heard = new Set<LiveAgent>();

  /** Something that is kept of an agent has changed. */
  changed(agent: LiveAgent): void {
    this.#changed.add(agent);
  }

  /** An agent was heard, and nothing else that is kept of it has changed. */
  heard(agent: LiveAgent): void {
    this.#heard.add(agent);
  }

  /** An agent is to be written no more: another one has its place. */
  forget(agent: LiveAgent): void {
    this.#changed.delete(agent);
    this.#heard.delete(agent);
  }

  /** Hands out what to write, at most so many of each kind. */
  take(most: number = Number.POSITIVE_INFINITY): AgentBatch {
    return {
      changed: first(this.#changed, most).map(storedPart),
      heard: first(this.#heard, most).map(({ agentId, lastHeartbeatAtMs }) => ({ agentId, lastHeartbeatAtMs })),
    };
  }

  /** A batch could not be written. @param find an agent by its id; undefined: it is gone */
  again({ changed, heard }: AgentBatch, find: (agentId: string) => LiveAgent | undefined): void {
    for (const [agents, waiting] of [
      [changed, this.#changed],
      [heard, this.#heard],
    ] as const) {
      for (const { agentId } of agents) {
        const agent = find(agentId);
        if (agent !== undefined) waiting.add(agent);
      }
    }
  }

  /** How many wait, of whichever kind there are more. */
  get size(): number {
    return Math.max(this.#changed.size, this.#heard.size);
  }
}

/** Takes out at most so many, those that came first. */
function first(agents: Set<LiveAgent>, most: number): LiveAgent[] {
  const taken: LiveAgent[] = [];
  for (const agent of agents) {
    if (taken.length >= most) break;
    agents.delete(agent);
    taken.push(agent);
  }
  return taken;
}
