import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { LeadershipLost } from '../../ports/leadership-lost.ts';

/** Row of `states` that holds the number of the newest term. */
const FENCE = 'fence';

/** The next number, and an end to all changes of terms before it: it waits for those that are being made. */
const NEXT_FENCE = `insert into states (name, json) values ('${FENCE}', '1')
  on conflict (name) do update set json = (states.json::bigint + 1)::text returning json`;

/** Stays as it is until the transaction ends: a newer console that would change the database waits, or was first. */
const VERSION = 'select version from weir_database for share';

const NEWEST_FENCE = `select json from states where name = '${FENCE}'`;

const BEGIN = /^\s*(begin|start transaction)\b/i;
const END = /^\s*(commit|rollback)\s*$/i;
const CHANGE = /^\s*(insert|update|delete|with)\b/i;

type Query = (text: string, parameters: readonly unknown[]) => Promise<unknown>;

/** What sends a statement to the database. */
interface Sender {
  query(text: string): Promise<unknown>;
}

/**
 * Takes the next number of a term, if the database has the version that is known.
 * @returns null when it has another one, and then nothing was written
 * @throws StorageUnavailable
 */
export async function nextFence(pool: PostgresPool, known: number): Promise<number | null> {
  const client = await pool.connect();
  const query = queryOf(client);
  try {
    const version = Number(firstRowOf(lastOf(await query(`begin; ${VERSION}`, [])))?.['version']);
    const fence = version === known ? await takeFence({ query: (text) => query(text, []) }) : null;
    await query('commit', []);
    return fence;
  } catch (error) {
    await query('rollback', []).catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** Takes the next number within a transaction. */
export async function takeFence(client: Sender): Promise<number> {
  return Number(firstRowOf(await client.query(NEXT_FENCE))?.['json']);
}

/** The number that was taken last; 0 for none. @throws StorageUnavailable */
export async function newestFenceOf(pool: PostgresPool): Promise<number> {
  const client = await pool.connect();
  try {
    return await newestFence({ query: (text) => queryOf(client)(text, []) });
  } finally {
    client.release();
  }
}

/** The same within a transaction. */
export async function newestFence(client: Sender): Promise<number> {
  return Number(firstRowOf(await client.query(NEWEST_FENCE))?.['json'] ?? 0);
}

/**
 * Connections of one term: a change is made only if the term is the newest, which is looked up within the same transaction and
 * stays so until its end. A leader that was stopped in the middle of its work cannot write over what its successor wrote.
 */
export class FencedPool implements PostgresPool {
  readonly #pool: PostgresPool;
  readonly #check: string;
  readonly #onLost: () => void;
  #sealed = false;

  /**
   * @param term its number, and the version that the database has for it: one that was brought forward ends it too
   * @param onLost told when the database has a newer term, or a newer version
   */
  constructor(pool: PostgresPool, { fence, version }: { fence: number; version: number }, onLost: () => void) {
    this.#pool = pool;
    this.#check = `select 1 from states where name = '${FENCE}' and json = '${fence.toFixed(0)}'
      and exists (select from weir_database where version = ${version.toFixed(0)}) for share`;
    this.#onLost = onLost;
  }

  /** From now on nothing is read or written: this term has ended. */
  seal(): void {
    this.#sealed = true;
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#sealed) throw new LeadershipLost();
    const client = await this.#pool.connect();
    const query = this.#fenced(queryOf(client));
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kysely's other form is for cursors, which it is not given
      query: query as PostgresPoolClient['query'],
      release: (destroy) => client.release(destroy === true),
    };
  }

  /** The pool goes on for other terms. */
  async end(): Promise<void> {
    this.seal();
  }

  #fenced(query: Query): Query {
    let within = false;
    return async (text, parameters) => {
      if (this.#sealed && !/^\s*rollback/i.test(text)) throw new LeadershipLost();
      if (BEGIN.test(text)) {
        await this.#begin(query, text);
        within = true;
        return { command: 'BEGIN', rowCount: 0, rows: [] };
      }
      if (END.test(text)) within = false;
      return within || !CHANGE.test(text) ? query(text, parameters) : this.#alone(query, text, parameters);
    };
  }

  /** In one turn with the server, as both are without parameters. */
  async #begin(query: Query, begin: string): Promise<void> {
    if (firstRowOf(lastOf(await query(`${begin}; ${this.#check}`, []))) !== undefined) return;
    await query('rollback', []);
    this.#onLost();
    throw new LeadershipLost();
  }

  /** A change that stands alone. */
  async #alone(query: Query, text: string, parameters: readonly unknown[]): Promise<unknown> {
    await this.#begin(query, 'begin');
    try {
      const result = await query(text, parameters);
      await query('commit', []);
      return result;
    } catch (error) {
      await query('rollback', []).catch(() => undefined);
      throw error;
    }
  }
}

function queryOf(client: PostgresPoolClient): Query {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kysely's type says as much, twice over
  return client.query.bind(client) as Query;
}

/** The result of the last of several statements. */
function lastOf(results: unknown): unknown {
  return Array.isArray(results) ? results.at(-1) : results;
}

function firstRowOf(result: unknown): Record<string, unknown> | undefined {
  if (typeof result !== 'object' || result === null || !('rows' in result) || !Array.isArray(result.rows))
    return undefined;
  const [row]: Record<string, unknown>[] = result.rows;
  return row;
}
