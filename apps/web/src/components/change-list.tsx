import type { ReactElement } from 'react';
import type { FieldChange } from '@weir/protocol';
import { formatPlural } from '../format/numbers.ts';
import { changeWords } from '../words/change-words.ts';
import styles from './change-list.module.css';

/** Changes that are in sight at once; the rest is a click away. */
const IN_SIGHT = 6;

/**
 * What was changed, a line each: the field, its old and its new value.
 * @param typed fields that whoever looks has changed as well
 */
export function ChangeList({
  changes,
  typed,
}: {
  changes: readonly FieldChange[];
  typed?: (field: string) => boolean;
}): ReactElement {
  const rest = changes.slice(IN_SIGHT);
  const mine = typed ?? (() => false);
  return (
    <>
      <Lines changes={changes.slice(0, IN_SIGHT)} typed={mine} />
      {rest.length > 0 && (
        <details className={styles.more}>
          <summary>{formatPlural(rest.length, 'more change')}</summary>
          <Lines changes={rest} typed={mine} />
        </details>
      )}
    </>
  );
}

function Lines({
  changes,
  typed,
}: {
  changes: readonly FieldChange[];
  typed: (field: string) => boolean;
}): ReactElement {
  return (
    <ul className={styles.list}>
      {changes.map((change) => {
        const { label, before, after } = changeWords(change);
        return (
          <li key={change.field}>
            {label}: <span className={styles.before}>{before}</span> <span aria-hidden="true">→</span>
            <span className="visually-hidden">to</span> <strong className={styles.after}>{after}</strong>
            {typed(change.field) && <span className={styles.typed}> (you typed something else)</span>}
          </li>
        );
      })}
    </ul>
  );
}
