import type { ReactElement, ReactNode } from 'react';
import styles from './details.module.css';

/** Facts as pairs of name and value, one a line. */
export function Details({ items }: { items: readonly { name: string; value: ReactNode }[] }): ReactElement {
  return (
    <dl className={styles.details}>
      {items.map(({ name, value }) => (
        <div key={name} className={styles.item}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
