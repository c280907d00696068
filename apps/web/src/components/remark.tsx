import type { ReactElement, ReactNode } from 'react';
import styles from './remark.module.css';

/** Small, soft words on a line of their own, below what they explain. */
export function Remark({ as: Element = 'span', children }: { as?: 'span' | 'p'; children: ReactNode }): ReactElement {
  return <Element className={styles.remark}>{children}</Element>;
}
