import type { Client } from 'pg';
import type { Logger } from '../../ports/logger.ts';
import { StorageUnavailable } from '../../ports/storage-unavailable.ts';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import { connectionFailure } from './connection-failure.ts';
import { takeFence } from './fenced-pool.ts';
import { bringForward, examine, withMigrationLock } from './open-postgres.ts';

/** Row of `states` that tells one database from all others. */
const IDENTITY = 'identity';

/** PostgreSQL draws it: a copy of the database has the same. */
const MAKE_IDENTITY = `insert into states (name, json) values ('${IDENTITY}', to_json(gen_random_uuid()::text)::text)
  on conflict (name) do nothing`;

/** What a console of a group finds when it starts. */
export interface GroupDatabase {
  readonly identity: string;
  /** Version of the database, at most that of the console. */
  readonly version: number;
}

/**
 * Opens the database of a group. One that is empty is made; one that is older stays as it is, for an older console may lead on it.
 * @throws UnusableDatabase as openPostgres
 */
export async function joinDatabase(url: string, migrations: readonly string[]): Promise<GroupDatabase> {
  return withMigrationLock(url, async (client, name) => {
    const examined = await examine(client, name, migrations);
    const isNew = examined.state.version === 0;
    if (isNew) await bringForward(client, examined, migrations);
    return { identity: await identityOf(client), version: isNew ? migrations.length : examined.state.version };
  });
}

/**
 * Begins a term by bringing the database forward, both or neither. The number comes first: it waits for the changes of the
 * console that led, and refuses all later ones, so that an older one writes nothing into tables that it does not know.
 * @throws NewerDatabase; UnusableDatabase when the migration fails; StorageUnavailable when the database is away
 */
export async function beginTermOnOlder(url: string, migrations: readonly string[], log: Logger): Promise<number> {
  try {
    const { fence, from } = await withMigrationLock(url, async (client, name) => {
      const examined = await examine(client, name, migrations);
      const { version } = examined.state;
      const message = 'the database is being brought forward; nobody leads meanwhile';
      log.info({ from: version, to: migrations.length }, message);
      const number = await takeFence(client);
      if (version < migrations.length) await bringForward(client, examined, migrations);
      return { fence: number, from: version };
    });
    log.info({ from, to: migrations.length }, 'the database was brought forward: older consoles do not lead any more');
    return fence;
  } catch (error) {
    const failure = error instanceof UnusableDatabase ? connectionFailure(error.cause) : undefined;
    if (failure === undefined) throw error;
    throw new StorageUnavailable(`The database does not answer now: ${failure.reason}`, { cause: error });
  }
}

async function identityOf(client: Client): Promise<string> {
  await client.query(MAKE_IDENTITY);
  const { rows } = await client.query<{ identity: string }>(
    `select json::json #>> '{}' as identity from states where name = '${IDENTITY}'`,
  );
  return rows[0]?.identity ?? '';
}
