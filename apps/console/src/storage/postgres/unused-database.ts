import { Client } from 'pg';
import { APPLICATION_NAME } from './application-name.ts';
import { MIGRATION_LOCK } from './open-postgres.ts';

const CONNECT_MS = 10_000;
/** A console that starts holds the lock for as long as it makes its tables. */
const LOCK_MS = 5_000;
/** What PostgreSQL says of a database that is not there, and of a lock that it did not give in time. */
const NO_DATABASE = '3D000';
const LOCKED = '55P03';

/** Connections of consoles, those from one address together; never those of whoever asks. */
const CONSOLES = `select coalesce(host(client_addr), 'this machine') as address, count(*)::int as connections,
    min(backend_start) as since
  from pg_stat_activity
  where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()
  group by 1 order by 1`;

/** Consoles have the database open, or may have. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/**
 * Does something while no console uses a database, and none can begin to: one that starts waits until it is done. A database
 * that is not there is used by nobody.
 * @throws DatabaseInUse, with who uses it; it cannot be told either of a database that does not answer. What `work` throws
 */
export async function whileUnused<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: `${APPLICATION_NAME}-restore`,
    connectionTimeoutMillis: CONNECT_MS,
    lock_timeout: LOCK_MS,
  });
  client.on('error', () => undefined);
  try {
    if ((await lock(client)) === 'no-database') return await work();
    // Within a transaction this list stays as it was first seen, so it is not asked for before the lock is there.
    const { rows } = await client.query<{ address: string; connections: number; since: Date }>(CONSOLES, [
      APPLICATION_NAME,
    ]);
    if (rows.length > 0) {
      const seen = rows.map(({ address, connections, since }) => {
        return `${connections} ${connections === 1 ? 'connection' : 'connections'} from ${address} since ${since.toISOString()}`;
      });
      throw new DatabaseInUse(
        `consoles use the database ${placeOf(client)}: ${seen.join(', ')}. Stop all consoles of it first; connections that a machine ` +
          `left behind which is gone are ended by: select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${APPLICATION_NAME}'`,
      );
    }
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function lock(client: Client): Promise<'locked' | 'no-database'> {
  try {
    await client.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    return 'locked';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === NO_DATABASE) return 'no-database';
    const place = placeOf(client);
    if (code === LOCKED) {
      throw new DatabaseInUse(`a console is starting on the database ${place}: stop it first`, { cause: error });
    }
    const why = error instanceof Error ? error.message || code : String(error);
    throw new DatabaseInUse(
      `whether consoles use the database ${place} cannot be seen: ${why}. Correct its address, or start it; if it is lost, move the ` +
        'files that are there aside by hand, which needs no --replace',
      { cause: error },
    );
  }
}

function placeOf({ host, port, database }: Client): string {
  return `${host}:${port}/${database ?? ''}`;
}
