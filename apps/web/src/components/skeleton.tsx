import type { ReactElement } from 'react';
import styles from './skeleton.module.css';

/** Placeholder of the size of what is coming, so that nothing moves when it arrives. */
export function Skeleton({ height, label = 'Loading' }: { height: number; label?: string }): ReactElement {
  return (
    <output className={styles.skeleton} style={{ height }}>
      <span className="visually-hidden">{label}</span>
    </output>
  );
}
