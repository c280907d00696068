import { Socket } from 'node:net';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Pool, TypeOverrides, types, type PoolClient } from 'pg';
import { StorageUnavailable } from '../../ports/storage-unavailable.ts';
import { APPLICATION_NAME } from './application-name.ts';
import { connectionFailure } from './connection-failure.ts';
import { Outage } from './outage.ts';
import { fromStorable, toStorable } from './storable-text.ts';

/** One of these runs the transaction of the moment; the others read. */
const MAX_CONNECTIONS = 8;
const CONNECT_MS = 2_000;
/** The longest statements delete a batch of old rows. */
const STATEMENT_MS = 5_000;
/** A little more: the server had its chance to say that it was too slow, so the network is dead. */
const ANSWER_MS = STATEMENT_MS + 1_000;
/** Transactions only wait for their own statements. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const IDLE_MS = 30_000;
/** How long the end of the pool waits for connections that are in use. */
const CLOSE_MS = 2_000;

/** Numbers as numbers (all of ours are below 2^53), texts as they were before they were made storable. */
function parsers(): TypeOverrides {
  const own = new TypeOverrides();
  own.setTypeParser(types.builtins.INT8, Number);
  own.setTypeParser(types.builtins.NUMERIC, Number);
  own.setTypeParser(types.builtins.TEXT, fromStorable);
  return own;
}

/** What the pool is told, and whom it tells. */
export interface PoolSurroundings {
  /** A clock that never jumps, in ms. */
  nowMs: () => number;
  /** Told the reason when the database went away, null when it is back. */
  outageChanged: (reason: string | null) => void;
  /** How long a transaction may wait for its own next statement, in ms. Default 10,000. */
  idleInTransactionMs?: number;
  /** How long connections that nobody uses stay, but for one, in ms. Default 30,000. */
  idleMs?: number;
}

/** Bounded connections to one database: calls fail fast and by name while it is away, and find it again by themselves. */
export class GuardedPool implements PostgresPool {
  readonly #pool: Pool;
  readonly #nowMs: () => number;
  readonly #outage: Outage;
  readonly #sockets = new Set<Socket>();
  /** Connections of before an outage may be dead without knowing it: they are not used again. */
  readonly #bornIn = new WeakMap<PoolClient, number>();
  #life = 0;

  /** @param url address with everything that is needed to connect */
  constructor(url: string, { nowMs, outageChanged, idleInTransactionMs, idleMs = IDLE_MS }: PoolSurroundings) {
    this.#nowMs = nowMs;
    this.#outage = new Outage(outageChanged);
    this.#pool = new Pool({
      connectionString: url,
      application_name: APPLICATION_NAME,
      // Never none: whoever looks which consoles use the database sees their connections.
      min: 1,
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: idleMs,
      statement_timeout: STATEMENT_MS,
      lock_timeout: STATEMENT_MS,
      query_timeout: ANSWER_MS,
      idle_in_transaction_session_timeout: idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
      types: parsers(),
      stream: () => this.#socket(),
    });
    this.#pool.on('connect', (client) => {
      this.#bornIn.set(client, this.#life);
      // The pool listens only while nobody uses the connection; whoever uses it learns from the call that fails.
      client.on('error', ignore);
    });
    this.#pool.on('error', ignore);
  }

  async connect(): Promise<PostgresPoolClient> {
    if (!this.#outage.admits(this.#nowMs())) throw unavailable(this.#outage.reason ?? '');
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        throw this.#explained(error);
      });
      if (this.#bornIn.get(client) === this.#life) return this.#guarded(client);
      client.release(true);
    }
  }

  /** Makes the first connection now, by which others see that the database is in use. @throws StorageUnavailable */
  async appear(): Promise<void> {
    (await this.connect()).release();
  }

  async end(): Promise<void> {
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_MS);
    await this.#pool.end();
    clearTimeout(cut);
  }

  #guarded(client: PoolClient): PostgresPoolClient {
    let broken = false;
    const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
      try {
        const values = parameters.map((value) => (typeof value === 'string' ? toStorable(value) : value));
        const result = await client.query(text, values);
        this.#outage.worked();
        return result;
      } catch (error) {
        const explained = this.#explained(error);
        broken ||= explained instanceof StorageUnavailable;
        throw explained;
      }
    };
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kysely's other form is for cursors, which it is not given
      query: query as PostgresPoolClient['query'],
      release: (destroy) => client.release(destroy === true || broken),
    };
  }

  #explained(error: unknown): unknown {
    const failure = connectionFailure(error);
    if (failure === undefined) {
      this.#outage.worked();
      return error;
    }
    if (failure.away) {
      if (this.#outage.reason === null) this.#life += 1;
      this.#outage.failed(failure.reason, this.#nowMs());
    }
    return unavailable(failure.reason, error);
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}

function unavailable(reason: string, cause?: unknown): StorageUnavailable {
  return new StorageUnavailable(`The database does not answer now: ${reason}`, { cause });
}

function ignore(): void {
  // Said by the call that fails.
}
