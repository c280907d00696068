import { sql, type Insertable, type Kysely, type Selectable } from 'kysely';
import type { AgentStore, StoredAgent } from '../../ports/agent-store.ts';
import { runInBulk, type BulkStatement } from './bulk-rows.ts';
import type { ColumnKind, SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';

const COLUMNS = {
  agent_id: 'text',
  name: 'text',
  host: 'text',
  version: 'text',
  protocol_version: 'integer',
  limiter: 'integer',
  revoked: 'integer',
  credential_hash: 'text',
  enrolled_at_ms: 'integer',
  last_heartbeat_at_ms: 'integer',
  boot_id: 'text',
  holdoff_until_ms: 'integer',
  holdoff_count: 'integer',
} as const satisfies Record<keyof Tables['agents'], ColumnKind>;

const ASSIGNMENTS = sql.join(
  Object.keys(COLUMNS)
    .filter((column) => column !== 'agent_id')
    .map((column) => sql`${sql.ref(column)} = ${sql.ref(`saved.${column}`)}`),
);

const SAVE_HEARD: BulkStatement = {
  before: 'with saved (agent_id, at_ms) as (',
  row: ['text', 'integer'],
  after: `) update agents set last_heartbeat_at_ms = saved.at_ms from saved where agents.agent_id = saved.agent_id`,
};

/** A large fleet is read in pages, so that it is in memory once, and not also as the answer of the database. */
const AGENTS_PER_PAGE = 2_000;

/** Agents in SQL. */
export function sqlAgentStore(db: Kysely<Tables>, dialect: SqlDialect): AgentStore {
  return {
    async all() {
      const agents: StoredAgent[] = [];
      let page: StoredAgent[];
      do {
        const after = agents.at(-1)?.agentId ?? '';
        const rows = db.selectFrom('agents').selectAll().where('agent_id', '>', after);
        page = (await rows.orderBy('agent_id').limit(AGENTS_PER_PAGE).execute()).map(agentOf);
        agents.push(...page);
      } while (page.length === AGENTS_PER_PAGE);
      return agents.sort((a, b) => a.enrolledAtMs - b.enrolledAtMs || (a.agentId < b.agentId ? -1 : 1));
    },
    async insert(agent) {
      await db.insertInto('agents').values(rowOf(agent)).execute();
    },
    async save(agents) {
      if (agents.length === 0) return;
      // One statement for the whole batch: thousands of agents are written behind every second.
      const rows = dialect.savedRows(agents.map(rowOf), COLUMNS);
      await sql`update agents set ${ASSIGNMENTS} from ${rows} where agents.agent_id = saved.agent_id`.execute(db);
    },
    async saveHeard(agents) {
      const rows = agents.map(({ agentId, lastHeartbeatAtMs }) => [agentId, lastHeartbeatAtMs]);
      await runInBulk(db, dialect, SAVE_HEARD, rows);
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
