import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from 'kysely';
import { OneAtATime } from '../sql/one-at-a-time.ts';
import type { Statements } from './statements.ts';

/** What kysely needs to use SQLite by way of something that runs statements. */
export function statementsDialect(statements: Statements): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new StatementsDriver(statements),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** One connection, which one has at a time: a transaction until it ends, everything else for one statement. */
class StatementsDriver implements Driver {
  readonly #statements: Statements;
  readonly #connection: DatabaseConnection;
  readonly #turns = new OneAtATime();

  constructor(statements: Statements) {
    this.#statements = statements;
    this.#connection = {
      // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- kysely's: the query decides, not an argument
      async executeQuery<R>({ sql, parameters }: CompiledQuery) {
        const { rows, changed } = await statements.run(sql, parameters);
        return {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the columns are is known to kysely's types alone
          rows: rows as R[],
          ...(changed && { numAffectedRows: BigInt(changed.rows), insertId: BigInt(changed.lastId) }),
        };
      },
      streamQuery() {
        throw new Error('rows are read at once, not in a stream');
      },
    };
  }

  async init(): Promise<void> {
    // The database is open.
  }

  /** @throws StorageUnavailable when too many wait */
  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.take();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#turns.pass();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    await this.#statements.close();
  }
}
