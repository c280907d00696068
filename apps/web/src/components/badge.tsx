import type { ReactElement, ReactNode } from 'react';
import { cx } from './class-names.ts';
import styles from './badge.module.css';

export type Tone = 'green' | 'amber' | 'red' | 'gray' | 'accent';

/** A short state in a coloured pill. The text says everything: the colour only helps the eye. */
export function Badge({
  tone,
  dot = false,
  children,
}: {
  tone: Tone;
  dot?: boolean;
  children: ReactNode;
}): ReactElement {
  return (
    <span className={cx(styles.badge, styles[tone])}>
      {dot && <span className={styles.dot} aria-hidden="true" />}
      {children}
    </span>
  );
}
