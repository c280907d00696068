import type Database from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Statements kept at most: the console has about 60; queries with lists of ids come in more shapes. */
const MAX_STATEMENTS = 300;

/**
 * Keeps prepared statements: kysely asks for each query anew, and preparing costs more than running most of them.
 * One connection runs one query at a time and reads it to its end, so a statement is never in use twice.
 */
export function withStatementCache(database: Database.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const known = statements.get(sql);
      if (known !== undefined) {
        // Used last, dropped last.
        statements.delete(sql);
        statements.set(sql, known);
        return known;
      }
      const statement = database.prepare(sql);
      const prepared: SqliteStatement = {
        reader: statement.reader,
        all: (parameters) => statement.all(...parameters),
        run: (parameters) => {
          // A full disk ends the transaction by itself; a second end would fail, and hide why the first came.
          if (sql === 'rollback' && !database.inTransaction) return { changes: 0, lastInsertRowid: 0 };
          return statement.run(...parameters);
        },
        iterate: (parameters) => statement.iterate(...parameters),
      };
      statements.set(sql, prepared);
      const [oldest] = statements.keys();
      if (statements.size > MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest);
      return prepared;
    },
    close: () => void database.close(),
  };
}
