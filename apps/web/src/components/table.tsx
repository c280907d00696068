import type { ReactElement, ReactNode, Ref } from 'react';
import { Icon } from './icon.tsx';
import { cx } from './class-names.ts';
import styles from './table.module.css';

/**
 * A table with a name. Where there is no room for its columns, each row becomes a block and `Cell`s show their
 * column's name themselves.
 */
export function Table({
  label,
  head,
  children,
  className,
  rowCount,
  bodyRef,
}: {
  label: string;
  head: ReactNode;
  children: ReactNode;
  className?: string | undefined;
  /** Rows with the head, for tables that draw only a part of them. */
  rowCount?: number;
  bodyRef?: Ref<HTMLTableSectionElement>;
}): ReactElement {
  return (
    <div className={styles.wrap}>
      <table className={cx(styles.table, className)} aria-label={label} aria-rowcount={rowCount}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody ref={bodyRef}>{children}</tbody>
      </table>
    </div>
  );
}

/** Name of a column. `numeric` ones stand at the right, as their figures do. */
export function Column({
  children,
  numeric = false,
  hint,
}: {
  children: ReactNode;
  numeric?: boolean;
  hint?: string;
}): ReactElement {
  return (
    <th scope="col" className={cx(numeric && styles.numeric)} title={hint}>
      {children}
    </th>
  );
}

/** Order of a table: a column and a direction. */
export interface SortOrder<Key extends string> {
  key: Key;
  descending: boolean;
}

/** Name of a column that sorts when it is pressed; again: the other way round. */
export function SortColumn<Key extends string>({
  sortKey,
  order,
  onSort,
  numeric = false,
  hint,
  children,
}: {
  sortKey: Key;
  order: SortOrder<Key>;
  onSort: (order: SortOrder<Key>) => void;
  numeric?: boolean;
  hint?: string;
  children: ReactNode;
}): ReactElement {
  const active = order.key === sortKey;
  // Figures are looked at from the largest down, names from the first.
  const descending = active ? !order.descending : numeric;
  return (
    <th
      scope="col"
      className={cx(numeric && styles.numeric)}
      aria-sort={active ? (order.descending ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        title={hint}
        className={cx(styles.sort, active && styles.sorted, active && !order.descending && styles.ascending)}
        onClick={() => onSort({ key: sortKey, descending })}
      >
        {children}
        <Icon name="chevronDown" size={14} />
      </button>
    </th>
  );
}

/** One cell; `name` is its column, shown beside it where rows become blocks. There a `wide` one has a line of its own. */
export function Cell({
  name,
  numeric = false,
  wide = false,
  className,
  children,
}: {
  name?: string;
  numeric?: boolean;
  wide?: boolean;
  className?: string | undefined;
  children: ReactNode;
}): ReactElement {
  return (
    <td className={cx(numeric && styles.numeric, wide && styles.wide, className)} data-name={name}>
      {children}
    </td>
  );
}

/** The cell that names its row. */
export function RowHeader({
  children,
  className,
}: {
  children: ReactNode;
  className?: string | undefined;
}): ReactElement {
  return (
    <th scope="row" className={cx(styles.rowHeader, className)}>
      {children}
    </th>
  );
}
