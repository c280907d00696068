import type { RawBuilder } from 'kysely';

/** How values of a column are kept; nothing else is. */
export type ColumnKind = 'text' | 'integer' | 'real';

/** What the engines do not say in the same words. */
export interface SqlDialect {
  /**
   * A source of rows named `saved` for one statement: a whole batch travels as one parameter, whatever its length.
   * @param columns the columns of the rows, which are the same in each
   */
  savedRows(rows: readonly object[], columns: Readonly<Record<string, ColumnKind>>): RawBuilder<unknown>;
  /** Stands for a parameter of a statement that is written out; `position` counts from 1. */
  placeholder(position: number, kind: ColumnKind): string;
}
