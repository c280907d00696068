import { CompiledQuery, type Kysely } from 'kysely';
import type { ColumnKind, SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';

/** A statement about rows, which are written between its halves as `values (…), (…)`. */
export interface BulkStatement {
  readonly before: string;
  /** What the values of a row are, in order. */
  readonly row: readonly ColumnKind[];
  readonly after: string;
}

/** Most rows in one statement: with ten columns far below what engines take in parameters. */
const MOST_ROWS = 256;

const texts = new WeakMap<SqlDialect, Map<BulkStatement, Map<number, string>>>();

/**
 * Runs a statement over many rows, a power of two at a time: so there are a few texts of each, which are made and prepared once.
 * A query builder would make them anew each time, which costs more than running them.
 */
export async function runInBulk(
  db: Kysely<Tables>,
  dialect: SqlDialect,
  statement: BulkStatement,
  rows: readonly (readonly (string | number | null)[])[],
): Promise<void> {
  for (let from = 0; from < rows.length;) {
    const size = Math.min(MOST_ROWS, 2 ** Math.floor(Math.log2(rows.length - from)));
    const parameters = rows.slice(from, from + size).flat();
    await db.executeQuery(CompiledQuery.raw(textOf(dialect, statement, size), parameters));
    from += size;
  }
}

function textOf(dialect: SqlDialect, statement: BulkStatement, rows: number): string {
  const ofDialect = texts.get(dialect) ?? new Map<BulkStatement, Map<number, string>>();
  texts.set(dialect, ofDialect);
  const known = ofDialect.get(statement) ?? new Map<number, string>();
  ofDialect.set(statement, known);
  const text = known.get(rows) ?? newText(dialect, statement, rows);
  known.set(rows, text);
  return text;
}

function newText(dialect: SqlDialect, { before, row, after }: BulkStatement, rows: number): string {
  let count = 0;
  const values = Array.from({ length: rows }, () => {
    const fields = row.map((kind) => {
      count += 1;
      return dialect.placeholder(count, kind);
    });
    return `(${fields.join(', ')})`;
  });
  return `${before} values ${values.join(', ')} ${after}`;
}
