import type { ReactElement } from 'react';
import styles from './logo.module.css';

/** Water that falls over a weir, and the name. */
export function Logo(): ReactElement {
  return (
    <span className={styles.logo}>
      <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect className={styles.box} width="32" height="32" rx="8" />
        <path className={styles.fall} d="M5 11.5c2.6-2.4 5.2-2.4 7.8 0s5.4 2.4 7.6.200v9.200c2 1.7 4.4 1.7 6.6-.2" />
        <path className={styles.pool} d="M5 19.500c2.6-2.4 5.2-2.4 7.8 0" />
      </svg>
      Weir
    </span>
  );
}
