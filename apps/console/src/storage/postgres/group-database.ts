import type { Client } from 'pg';
import type { FoundDatabase } from '../../ports/group-storage.ts';
import type { Logger } from '../../ports/logger.ts';
import { StorageUnavailable } from '../../ports/storage-unavailable.ts';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import { connectionFailure } from './connection-failure.ts';
import { newestFence, takeFence } from './fenced-pool.ts';
import { bringForward, examine, type Examined, withMigrationLock } from './open-postgres.ts';

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

/** Who is asked whether a console may use the database; if one refuses, nothing is changed. */
export interface Joining {
  /** Asked before anything is made. @throws UnusableDatabase */
  readonly judge: (found: FoundDatabase) => void;
  /** Asked last. */
  readonly admit: () => Promise<void>;
}

/**
 * Opens the database of a group. One that is empty is made; one that is older stays as it is, for an older console may lead on it.
 * @throws UnusableDatabase as openPostgres
 */
export async function joinDatabase(
  url: string,
  migrations: readonly string[],
  { judge, admit }: Joining,
): Promise<GroupDatabase> {
  return withMigrationLock(url, async (client, name) => {
    const examined = await examine(client, name, migrations);
    const isNew = examined.state.version === 0;
    judge(await foundIn(client, name, examined));
    if (isNew) await bringForward(client, examined, migrations);
    const identity = await identityOf(client);
    await admit();
    return { identity, version: isNew ? migrations.length : examined.state.version };
  });
}

/** How a database is brought forward. */
interface Forward {
  readonly migrations: readonly string[];
  readonly log: Logger;
  readonly begins: (version: number) => void;
  /** In ms. */
  readonly lockMs: number;
}

/**
 * Begins a term by bringing the database forward, both or neither. The number comes first: it waits for the changes of the
 * console that led, and refuses all later ones, so that an older one writes nothing into tables that it does not know.
 * @param begins told the version of the database when it is about to be brought forward, each time that this is tried
 * @param lockMs how long it waits for each lock: whoever reads the tables, as a backup does, keeps all consoles from leading meanwhile
 * @throws NewerDatabase; UnusableDatabase when it cannot be brought forward, which an older console need not care for;
 * StorageUnavailable when the database is away
 */
export async function beginTermOnOlder(url: string, { migrations, log, begins, lockMs }: Forward): Promise<number> {
  const bring = async (client: Client, name: string): Promise<{ fence: number; from: number }> => {
    const examined = await examine(client, name, migrations);
    const from = examined.state.version;
    if (from < migrations.length) begins(from);
    const fence = await takeFence(client);
    if (from < migrations.length) await bringForward(client, examined, migrations);
    return { fence, from };
  };
  try {
    const { fence, from } = await withMigrationLock(url, bring, lockMs);
    log.info({ from, to: migrations.length }, 'the database was brought forward: older consoles do not lead any more');
    return fence;
  } catch (error) {
    throw error instanceof UnusableDatabase ? explained(error) : error;
  }
}

/** What the server says of what it could not do, although it is there: a lock that it did not get, a full disk. */
const REFUSED = /^(53[12]|55P03|57014)/;

function explained(error: UnusableDatabase): Error {
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause && REFUSED.test(String(cause.code))) {
    return new UnusableDatabase(
      `The database could not be brought forward (${cause.message}): it stays as it was, and an older console may lead on it. ` +
        'See whether something holds its tables, as a backup does, and whether its disk is full; it is tried again.',
      { cause },
    );
  }
  const failure = connectionFailure(cause);
  if (failure === undefined) return error;
  return new StorageUnavailable(`The database does not answer now: ${failure.reason}`, { cause: error });
}

async function identityOf(client: Client): Promise<string> {
  await client.query(MAKE_IDENTITY);
  return (await knownIdentity(client)) ?? '';
}

async function knownIdentity(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ identity: string }>(
    `select json::json #>> '{}' as identity from states where name = '${IDENTITY}'`,
  );
  return rows[0]?.identity ?? null;
}

async function foundIn(client: Client, name: string, { state, before }: Examined): Promise<FoundDatabase> {
  const isEmpty = state.version === 0;
  if (isEmpty || !before.has('states.name')) return { name, isEmpty, identity: null, terms: 0 };
  return { name, isEmpty, identity: await knownIdentity(client), terms: await newestFence(client) };
}
