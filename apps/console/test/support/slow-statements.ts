import { sqliteStorageBy, type SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { statementsOn, type Ran, type Statements } from '../../src/storage/sqlite/statements.ts';
import { settled } from './fake-clock.ts';

/** Most turns of the event loop that pass before a statement, and between it and its answer. */
const MOST_TURNS = 12;

/**
 * Statements on a database that is slow: turns of the event loop pass before and after each, as many as a seed says. What code
 * leaves open between two statements, or between one and its effect in memory, others step into.
 */
export class SlowStatements implements Statements {
  /** Says what a statement fails with; undefined: it runs. */
  fault: (sql: string) => Error | undefined = () => undefined;
  readonly #inner: Statements;
  #seed: number;
  #underWay = 0;
  #held: Promise<void> | undefined;

  constructor(inner: Statements, seed: number) {
    this.#inner = inner;
    this.#seed = seed;
  }

  /** A storage on a slow database, and how it is slowed. */
  static async storage(seed: number, path = ':memory:'): Promise<{ storage: SqliteStorage; slow: SlowStatements }> {
    const slow = new SlowStatements(statementsOn(await openDatabase(path)), seed);
    return { storage: sqliteStorageBy(slow), slow };
  }

  /** Lets no statement begin from now on; returns how they go on. */
  hold(): () => void {
    let release: (() => void) | undefined;
    this.#held = new Promise((resolve) => (release = resolve));
    return () => {
      this.#held = undefined;
      release?.();
    };
  }

  /** For a clock: everything that can happen without time passing has happened. */
  readonly settled = async (): Promise<void> => {
    do await settled();
    while (this.#underWay > 0 && this.#held === undefined);
  };

  async run(sql: string, parameters: readonly unknown[]): Promise<Ran> {
    this.#underWay += 1;
    try {
      await this.#turns();
      await this.#held;
      const fault = this.fault(sql);
      if (fault !== undefined) throw fault;
      const ran = await this.#inner.run(sql, parameters);
      await this.#turns();
      return ran;
    } finally {
      this.#underWay -= 1;
    }
  }

  copyTo(path: string): Promise<void> {
    return this.#inner.copyTo(path);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #turns(): Promise<void> {
    // A linear congruential generator: Numerical Recipes' constants.
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    for (let left = this.#seed % MOST_TURNS; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What SQLite says of a full disk. */
export function diskFull(): Error {
  return Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
}
