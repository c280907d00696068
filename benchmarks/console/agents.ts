import { Connection } from './connection.ts';
import { credentialOf } from './fleet-database.ts';

/** How much of its allocation an agent of each kind uses: some are hungry, some give back, and all change with each window. */
const USE = [1, 0.95, 0.7, 0.3, 1];

interface Grant {
  readonly epoch: string;
  readonly windowNumber: number;
  readonly creditBudget: number;
}

interface Agent {
  readonly credential: string;
  grant: Grant | null;
  beats: number;
}

/** Seed of the order in which agents come. */
const SEED = 7;

/** Agents that exist only by their heartbeats. They come in an order of their own, as a fleet does, not in that of the database. */
export class Agents {
  readonly #agents: Agent[];
  readonly #connections: Connection[];

  private constructor(agents: Agent[], connections: Connection[]) {
    this.#agents = agents;
    this.#connections = connections;
  }

  /** The agents that `writeFleet` made known. */
  static async connect(count: number, url: URL, connections: number): Promise<Agents> {
    const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(url)));
    const agents = Array.from({ length: count }, (_, index) => ({
      credential: credentialOf(index),
      grant: null,
      beats: 0,
    }));
    return new Agents(shuffled(agents), open);
  }

  /** Every agent once, as fast as the console answers. @returns heartbeats a second */
  async asFastAsPossible(): Promise<number> {
    let next = 0;
    const startedMs = performance.now();
    await Promise.all(
      this.#connections.map(async (connection) => {
        while (next < this.#agents.length) {
          const agent = this.#agents[next];
          next += 1;
          if (agent !== undefined) await beat(connection, agent);
        }
      }),
    );
    return (this.#agents.length * 1_000) / (performance.now() - startedMs);
  }

  /**
   * Heartbeats at the pace of a fleet whose windows are this long, evenly spread, whether or not the console keeps up.
   * @returns time from when each was due until it was answered, in ms, ascending
   */
  async atPace(windowSeconds: number, durationSeconds: number): Promise<Float64Array> {
    const total = Math.floor((this.#agents.length / windowSeconds) * durationSeconds);
    const everyMs = (windowSeconds * 1_000) / this.#agents.length;
    const took = new Float64Array(total);
    const startedMs = performance.now();
    let next = 0;
    await Promise.all(
      this.#connections.map(async (connection) => {
        while (next < total) {
          const index = next;
          next += 1;
          const dueMs = startedMs + index * everyMs;
          const waitMs = dueMs - performance.now();
          if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
          const agent = this.#agents[index % this.#agents.length];
          // Timers have a resolution of a millisecond, and fire early or late by one: that is not the console's time.
          const sentMs = waitMs > 0 ? performance.now() : dueMs;
          if (agent !== undefined) await beat(connection, agent);
          took[index] = performance.now() - sentMs;
        }
      }),
    );
    return took.sort();
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

/** Fisher and Yates' shuffle with the minimal standard generator (Park and Miller): the same in every run. */
function shuffled<T>(items: T[]): T[] {
  let state = SEED;
  for (let last = items.length - 1; last > 0; last -= 1) {
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (last + 1);
    const [a, b] = [items[last], items[other]];
    if (a === undefined || b === undefined) continue;
    [items[last], items[other]] = [b, a];
  }
  return items;
}

async function beat(connection: Connection, agent: Agent): Promise<void> {
  const answer = await connection.post('/api/v1/agent/heartbeat', agent.credential, reportOf(agent));
  if (answer.status !== 200) throw new Error(`a heartbeat was answered ${answer.status}: ${answer.body}`);
  const said: { grant: Grant | null } = JSON.parse(answer.body);
  if (said.grant === null) throw new Error('a running agent got no grant');
  agent.grant = said.grant;
  agent.beats += 1;
}

function reportOf({ grant, beats }: Agent): string {
  const use = USE[beats % USE.length] ?? 1;
  const usage = grant && {
    epoch: grant.epoch,
    windowNumber: grant.windowNumber,
    windowMs: 30_000,
    creditBudget: grant.creditBudget,
    chargedOps: Math.floor(grant.creditBudget * use),
    chargedByType: { LIST: 0, GET: 0, PUT: Math.floor(grant.creditBudget * use), DELETE: 0 },
    exhaustedMs: 0,
    actualTps: (grant.creditBudget * use) / 30,
    meanTps: (grant.creditBudget * use) / 30,
    peakSecondTps: (grant.creditBudget * use) / 10,
    parkedOps: 0,
    bytesRead: 1_000_000,
    bytesWritten: 1_000_000,
  };
  return JSON.stringify({
    protocolVersion: 1,
    version: '1',
    host: 'load',
    bootId: 'boot',
    limiter: true,
    runningJobs: 1,
    usage,
    holdoff: null,
  });
}
