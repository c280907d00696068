import type Database from 'better-sqlite3';
import { sameFiles } from './same-files.ts';

/** What a statement did. Rows are plain objects. */
export interface Ran {
  readonly rows: unknown[];
  /** Rows that it changed, and the id of the last that it added; null where it returned rows. */
  readonly changed: { rows: number; lastId: number | bigint } | null;
}

/** Something that runs statements on one database, one after the other. */
export interface Statements {
  /** @throws SqliteError and whatever else better-sqlite3 throws */
  run(sql: string, parameters: readonly unknown[]): Promise<Ran>;
  /** Writes a consistent copy of the database. @param signal ends it before its time, with its reason; default: nothing does */
  copyTo(path: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Prepared statements kept at most: the console has about 60; queries with lists of ids come in more shapes. */
const MAX_PREPARED = 300;

/** Pages of one step of a copy, 2 MB. */
const PAGES_PER_STEP = 500;

/**
 * Runs statements in this thread. They stay prepared: each query is asked for anew as text, and preparing costs more than
 * running most of them.
 */
export function statementsOn(database: Database.Database): Statements {
  const prepared = new Map<string, Database.Statement>();
  const prepare = (sql: string): Database.Statement => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    // Used last, dropped last.
    prepared.delete(sql);
    prepared.set(sql, statement);
    const [oldest] = prepared.keys();
    if (prepared.size > MAX_PREPARED && oldest !== undefined) prepared.delete(oldest);
    return statement;
  };
  const requireSameFiles = database.memory ? () => undefined : sameFiles(database.name);
  /** A transaction was begun, and its caller has not ended it. */
  let begun = false;
  return {
    async run(sql, parameters) {
      const ends = sql === 'commit' || sql === 'rollback';
      // A full disk ends the transaction by itself; a second end would fail, and hide why the first came.
      if (sql === 'rollback' && !database.inTransaction) {
        begun = false;
        return { rows: [], changed: null };
      }
      // What comes after that is part of a transaction which is no more: it must not happen by itself.
      if (begun && !database.inTransaction) throw new Error('the transaction was ended by an error before');
      const statement = prepare(sql);
      if (statement.reader) return { rows: statement.all(...parameters), changed: null };
      if (sql === 'commit' || (sql !== 'begin' && !database.inTransaction)) requireSameFiles();
      const { changes, lastInsertRowid } = statement.run(...parameters);
      if (sql === 'begin') begun = true;
      else if (ends) begun = false;
      return { rows: [], changed: { rows: changes, lastId: lastInsertRowid } };
    },
    async copyTo(path, signal) {
      const progress = (): number => {
        signal?.throwIfAborted();
        return PAGES_PER_STEP;
      };
      const { totalPages } = await database.backup(path, { progress });
      if (totalPages === 0) throw new Error('SQLite copied nothing');
    },
    close: async () => void database.close(),
  };
}
