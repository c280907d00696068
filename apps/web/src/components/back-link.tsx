import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from './icon.tsx';
import styles from './back-link.module.css';

/** The way back to the list that a page belongs to. */
export function BackLink({ href, children }: { href: string; children: ReactNode }): ReactElement {
  return (
    <Link href={href} className={styles.back}>
      <Icon name="chevronLeft" size={16} />
      {children}
    </Link>
  );
}
