import type { ReactElement, ReactNode } from 'react';
import { cx } from './class-names.ts';
import styles from './stats.module.css';

/** One figure with its name. */
export interface Stat {
  name: string;
  value: ReactNode;
  /** More about it, in small letters. */
  detail?: ReactNode;
  tone?: 'red' | 'amber' | undefined;
}

/** Figures side by side; they wrap where there is no room and never move while they change. */
export function Stats({ stats }: { stats: readonly Stat[] }): ReactElement {
  return (
    <dl className={styles.stats}>
      {stats.map(({ name, value, detail, tone }) => (
        <div key={name} className={styles.stat}>
          <dt className={styles.name}>{name}</dt>
          <dd className={cx(styles.value, tone !== undefined && styles[tone])}>
            {value}
            {detail !== undefined && <span className={styles.detail}>{detail}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
