import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { startRedis, type RedisServer } from '@weir/testkit/redis';
import type { Place } from './console-process.ts';
import { credentialOf } from './fleet-database.ts';

/** What a group of consoles shares, on this machine: a PostgreSQL that flushes its writes as it does by default, and a Redis. */
export class GroupServers {
  readonly #postgres: PostgresServer;
  readonly #redis: RedisServer;
  #databases = 0;

  private constructor(postgres: PostgresServer, redis: RedisServer) {
    this.#postgres = postgres;
    this.#redis = redis;
  }

  static async start(): Promise<GroupServers> {
    return new GroupServers(await startPostgres({ settings: { fsync: 'on' } }), await startRedis());
  }

  /** An empty database, and an empty Redis. */
  async place(): Promise<Place> {
    const name = `fleet_${++this.#databases}`;
    const storageUrl = await this.#postgres.createDatabase(name);
    await this.#redis.command('FLUSHALL');
    // No other console is there that would ask at that address.
    const flags = ['--storage-url', storageUrl, '--redis', this.#redis.url, '--advertise-url', 'http://127.0.0.1:1'];
    return {
      flags,
      writeFleet: async (agents) => void (await this.#postgres.program('psql', '-d', name, '-c', insertAgents(agents))),
    };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#postgres.stop(), this.#redis.stop()]);
  }
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
