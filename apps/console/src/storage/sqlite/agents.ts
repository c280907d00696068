import { sql, type Insertable, type Kysely, type Selectable } from 'kysely';
import type { AgentStore, StoredAgent } from '../../ports/agent-store.ts';
import type { Tables } from './schema.ts';

const COLUMNS = [
  'name',
  'host',
  'version',
  'protocol_version',
  'limiter',
  'revoked',
  'credential_hash',
  'enrolled_at_ms',
  'last_heartbeat_at_ms',
  'boot_id',
  'holdoff_until_ms',
  'holdoff_count',
] as const satisfies readonly Exclude<keyof Tables['agents'], 'agent_id'>[];

const ASSIGNMENTS = sql.join(COLUMNS.map((column) => sql`${sql.ref(column)} = saved.value ->> ${sql.lit(column)}`));

/** Agents in SQLite. */
export function sqliteAgentStore(db: Kysely<Tables>): AgentStore {
  return {
    async all() {
      const rows = await db.selectFrom('agents').selectAll().orderBy('enrolled_at_ms').orderBy('agent_id').execute();
      return rows.map(agentOf);
    },
    async insert(agent) {
      await db.insertInto('agents').values(rowOf(agent)).execute();
    },
    async save(agents) {
      if (agents.length === 0) return;
      // One statement for the whole batch: thousands of agents are written behind every second.
      const rows = JSON.stringify(agents.map(rowOf));
      await sql`update agents set ${ASSIGNMENTS} from json_each(${rows}) as saved
        where agents.agent_id = saved.value ->> 'agent_id'`.execute(db);
    },
  };
}

function rowOf(agent: StoredAgent): Insertable<Tables['agents']> {
  return {
    agent_id: agent.agentId,
    name: agent.name,
    host: agent.host,
    version: agent.version,
    protocol_version: agent.protocolVersion,
    limiter: agent.limiter ? 1 : 0,
    revoked: agent.revoked ? 1 : 0,
    credential_hash: agent.credentialHash,
    enrolled_at_ms: agent.enrolledAtMs,
    last_heartbeat_at_ms: agent.lastHeartbeatAtMs,
    boot_id: agent.bootId,
    holdoff_until_ms: agent.holdoffUntilMs,
    holdoff_count: agent.holdoffCount,
  };
}

function agentOf(row: Selectable<Tables['agents']>): StoredAgent {
  return {
    agentId: row.agent_id,
    name: row.name,
    host: row.host,
    version: row.version,
    protocolVersion: row.protocol_version,
    limiter: row.limiter === 1,
    revoked: row.revoked === 1,
    credentialHash: row.credential_hash,
    enrolledAtMs: row.enrolled_at_ms,
    lastHeartbeatAtMs: row.last_heartbeat_at_ms,
    bootId: row.boot_id,
    holdoffUntilMs: row.holdoff_until_ms,
    holdoffCount: row.holdoff_count,
  };
}
