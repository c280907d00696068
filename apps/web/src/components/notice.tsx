import type { ReactElement, ReactNode } from 'react';
import { wordsFor } from '../words/error-words.ts';
import { Icon, type IconName } from './icon.tsx';
import { cx } from './class-names.ts';
import styles from './notice.module.css';

export type NoticeTone = 'info' | 'green' | 'amber' | 'red';

const ICONS: Readonly<Record<NoticeTone, IconName>> = {
  info: 'info',
  green: 'check',
  amber: 'warning',
  red: 'warning',
};

/** A message in the flow of a page. `live` ones are read out when they appear. */
export function Notice({
  tone,
  title,
  live = false,
  actions,
  children,
}: {
  tone: NoticeTone;
  title: ReactNode;
  live?: boolean;
  actions?: ReactNode;
  children?: ReactNode;
}): ReactElement {
  return (
    <div className={cx(styles.notice, styles[tone])} role={live ? (tone === 'red' ? 'alert' : 'status') : undefined}>
      <span className={styles.icon}>
        <Icon name={ICONS[tone]} />
      </span>
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {children !== undefined && <div className={styles.more}>{children}</div>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

/** What went wrong and what to do about it. */
export function ErrorNotice({ error, actions }: { error: unknown; actions?: ReactNode }): ReactElement {
  const words = wordsFor(error);
  return (
    <Notice tone="red" title={words.title} live actions={actions}>
      {words.remedy}
    </Notice>
  );
}
