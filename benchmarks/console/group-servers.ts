import { startPostgres } from '@weir/testkit/postgres';
import { startRedis } from '@weir/testkit/redis';
import type { Place } from './console-process.ts';
import { credentialOf } from './fleet-database.ts';

/** Name of the database. */
const DATABASE = 'fleet';

/** What a group of consoles shares, on this machine: a PostgreSQL that flushes its writes as it does by default, and a Redis. */
export async function startGroupServers(): Promise<{ place: Place; stop: () => Promise<unknown> }> {
  const postgres = await startPostgres({ settings: { fsync: 'on' } });
  const redis = await startRedis();
  const storageUrl = await postgres.createDatabase(DATABASE);
  // No other console is there that would ask at that address.
  const flags = ['--storage-url', storageUrl, '--redis', redis.url, '--advertise-url', 'http://127.0.0.1:1'];
  return {
    place: {
      flags,
      writeFleet: async (agents) => void (await postgres.program('psql', '-d', DATABASE, '-c', insertAgents(agents))),
    },
    stop: () => Promise.all([postgres.stop(), redis.stop()]),
  };
}

function insertAgents(agents: number): string {
  const columns = {
    agent_id: "'agt_load' || n",
    name: "'load-' || n",
    host: "'load'",
    version: "'1'",
    protocol_version: '1',
    limiter: '1',
    revoked: '0',
    credential_hash: `encode(sha256(('${credentialOf('')}' || n)::bytea), 'hex')`,
    enrolled_at_ms: String(Date.now()),
    holdoff_count: '0',
  };
  return (
    `insert into agents (${Object.keys(columns).join(', ')}) ` +
    `select ${Object.values(columns).join(', ')} from generate_series(0, ${agents - 1}) n`
  );
}
