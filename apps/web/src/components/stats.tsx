import type { CSSProperties, ReactElement, ReactNode } from 'react';
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

/** Figures side by side, in one row, two, or pairs, by the room there is; they never move while they change. */
export function Stats({ stats }: { stats: readonly Stat[] }): ReactElement {
  const columns: CSSProperties & Record<'--all' | '--half', number> = {
    '--all': stats.length,
    '--half': Math.ceil(stats.length / 2),
  };
  return (
    <div className={styles.box}>
      <dl className={styles.stats} style={columns}>
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
    </div>
  );
}
