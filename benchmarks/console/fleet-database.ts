import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The part of the console's storage that is needed here. */
interface AgentTable {
  agents: { insert(agent: object): Promise<void> };
}
interface Database {
  transaction(run: (stores: AgentTable) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

const STORAGE = new URL('../../apps/console/dist/storage/sqlite/sqlite-storage.js', import.meta.url);
const AGENTS_PER_TRANSACTION = 5_000;

/** Credential of an agent of the benchmark. */
export function credentialOf(index: number | ''): string {
  return `benchmark-credential-of-agent-${index}`;
}

/**
 * Writes agents into the database of a console that does not run yet. Enrolling them would take longer than everything that
 * is measured: each is a transaction that is flushed to the disk.
 */
export async function writeFleet(folder: string, agents: number): Promise<void> {
  const storage: { sqliteStorage(path: string): Promise<Database> } = await import(STORAGE.href);
  const database = await storage.sqliteStorage(join(folder, 'weir.db'));
  for (let from = 0; from < agents; from += AGENTS_PER_TRANSACTION) {
    await database.transaction(async (stores) => {
      for (let index = from; index < Math.min(agents, from + AGENTS_PER_TRANSACTION); index += 1) {
        await stores.agents.insert(agentOf(index));
      }
    });
  }
  await database.close();
}

function agentOf(index: number): object {
  return {
    agentId: `agt_load${index}`,
    name: `load-${index}`,
    host: 'load',
    version: '1',
    protocolVersion: 1,
    limiter: true,
    revoked: false,
    credentialHash: createHash('sha256').update(credentialOf(index)).digest('hex'),
    enrolledAtMs: Date.now(),
    lastHeartbeatAtMs: null,
    bootId: null,
    holdoffUntilMs: null,
    holdoffCount: 0,
  };
}
