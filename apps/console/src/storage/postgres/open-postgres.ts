import { Client } from 'pg';
import { namedOption } from '../../config/option-ways.ts';
import { NewerDatabase } from '../../ports/newer-database.ts';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import { MIGRATIONS } from '../sql/migrations.ts';
import { APPLICATION_NAME } from './application-name.ts';
import { postgresDdl } from './ddl.ts';
import { newestFence } from './fenced-pool.ts';

const CONNECT_MS = 10_000;
/** Held while a console looks at the version and migrates, and while keys are restored: "Weir" in ASCII. */
export const MIGRATION_LOCK = 0x57_65_69_72;
const OLDEST_SERVER = 130_000;

interface State {
  /** 0 for a database that was empty. */
  version: number;
  /** `table.column` of everything that is ours. */
  columns: string[];
}

/** What was found in a database: what was written down about it, and the columns that are there. */
export interface Examined {
  readonly state: State;
  readonly before: ReadonlySet<string>;
}

/**
 * Brings a database of one console to the newest version, in one transaction; of several that start together one does it.
 * @param admit asked last; if it rejects, nothing is changed
 * @throws UnusableDatabase for a database that cannot be reached, of a newer version, of another program, of a group, or with
 * parts missing; nothing in it was changed then
 */
export async function openPostgres(
  url: string,
  migrations: readonly string[] = MIGRATIONS,
  admit: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await withMigrationLock(url, async (client, name) => {
    const examined = await examine(client, name, migrations);
    if (examined.before.has('states.name')) await requireNoGroup(client, name);
    if (examined.state.version < migrations.length) await bringForward(client, examined, migrations);
    await admit();
  });
}

/** A console that is alone would change what the leader of a group holds in its memory, and grant its budget a second time. */
async function requireNoGroup(client: Client, name: string): Promise<void> {
  const term = await newestFence(client);
  if (term === 0) return;
  throw new UnusableDatabase(
    `The database ${name} belongs to a group of consoles, which has had ${term} ${term === 1 ? 'term' : 'terms'}, and this console ` +
      `is told no Redis: give it that of the group with ${namedOption('redisUrl')}. To give the group up for good, stop all its ` +
      "consoles, and then delete the row 'fence' of the table states.",
  );
}

/**
 * Works on a database in one transaction, while nobody else examines or changes its version.
 * @param lockMs how long it waits for each lock; 0: until it gets it
 * @throws UnusableDatabase for whatever goes wrong, its cause being what PostgreSQL said
 */
export async function withMigrationLock<T>(
  url: string,
  work: (client: Client, name: string) => Promise<T>,
  lockMs = 0,
): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: CONNECT_MS,
    lock_timeout: lockMs,
  });
  // A connection that ends is told by the call that fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const name = `${client.host}:${client.port}/${client.database ?? ''}`;
    await requireUsableServer(client, name);
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const result = await work(client, name);
    await client.query('commit');
    return result;
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error;
    const message =
      error instanceof Error ? error.message || String('code' in error ? error.code : error) : String(error);
    throw new UnusableDatabase(
      `The PostgreSQL database ${client.host}:${client.port}/${client.database ?? ''} cannot be opened: ${message}. ` +
        'Check that it runs, and address, user, password and rights.',
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function requireUsableServer(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string; schema: string | null }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
       current_schema() as schema`,
  );
  const [found] = rows;
  if (found === undefined || found.version < OLDEST_SERVER) {
    throw new UnusableDatabase(`The database ${name} runs on PostgreSQL older than 13: upgrade the server.`);
  }
  if (found.encoding !== 'UTF8') {
    throw new UnusableDatabase(
      `The database ${name} has the encoding ${found.encoding}, which cannot hold every name: make one with encoding UTF8.`,
    );
  }
  if (found.schema === null) {
    throw new UnusableDatabase(
      `No schema of the search path exists in the database ${name}: make it, or change the path.`,
    );
  }
}

/**
 * Looks whether this console can use the database as it is, or after bringing it forward. Its version stays as it is until the
 * transaction ends.
 * @throws NewerDatabase, UnusableDatabase
 */
export async function examine(client: Client, name: string, migrations: readonly string[]): Promise<Examined> {
  const before = await presentColumns(client);
  const state = await stateOf(client, name, before);
  if (state.version > migrations.length) throw new NewerDatabase(name, state.version, migrations.length);
  const missing = state.columns.filter((column) => !before.has(column));
  if (missing.length > 0) {
    throw new UnusableDatabase(
      damaged(name, `${missing.slice(0, 3).join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`),
    );
  }
  return { state, before };
}

/** Runs the migrations that the database has not seen, and writes down what is there then. */
export async function bringForward(
  client: Client,
  { state, before }: Examined,
  migrations: readonly string[],
): Promise<void> {
  for (const migration of migrations.slice(state.version)) await client.query(postgresDdl(migration));
  const after = await presentColumns(client);
  const kept = state.columns.filter((column) => after.has(column));
  const made = [...after].filter((column) => !before.has(column));
  await client.query(
    `insert into weir_database (id, version, columns) values (1, $1, $2)
     on conflict (id) do update set version = excluded.version, columns = excluded.columns`,
    [migrations.length, JSON.stringify([...kept, ...made].toSorted())],
  );
}

/** What was written down about the database; an empty one is prepared to be written down. */
async function stateOf(client: Client, name: string, present: ReadonlySet<string>): Promise<State> {
  if (present.size === 0) {
    await client.query(
      'create table weir_database (id bigint primary key check (id = 1), version bigint not null, columns text not null)',
    );
    return { version: 0, columns: [] };
  }
  if (!present.has('weir_database.version')) {
    throw new UnusableDatabase(
      `The database ${name} belongs to another program. Choose another database, or a schema of its own.`,
    );
  }
  const { rows } = await client.query<{ version: string; columns: string }>(
    // Locked before anything else of ours, by whoever asks for it: the term that begins reads it in share mode first.
    'select version, columns from weir_database for update',
  );
  const [row] = rows;
  const columns: unknown = row === undefined ? null : parsed(row.columns);
  if (row === undefined || !Array.isArray(columns)) throw new UnusableDatabase(damaged(name, 'its version is missing'));
  return { version: Number(row.version), columns: columns.map(String) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function damaged(name: string, found: string): string {
  return `The database ${name} is damaged (${found}). Restore it from a backup, or choose an empty database to start anew.`;
}

async function presentColumns(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ column: string }>(
    `select table_name || '.' || column_name as column from information_schema.columns where table_schema = current_schema()`,
  );
  return new Set(rows.map(({ column }) => column));
}
