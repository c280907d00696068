import { useId, type ReactElement, type ReactNode } from 'react';
import { cx } from './class-names.ts';
import styles from './card.module.css';

/** A section with a frame. With a title it is a region that screen readers list. */
export function Card({
  title,
  description,
  actions,
  flush = false,
  className,
  children,
}: {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Content reaches the frame: for tables. */
  flush?: boolean;
  className?: string | undefined;
  children: ReactNode;
}): ReactElement {
  const titleId = useId();
  const hasHead = title !== undefined || actions !== undefined;
  return (
    <section className={cx(styles.card, className)} aria-labelledby={title === undefined ? undefined : titleId}>
      {hasHead && (
        <div className={styles.head}>
          <div className={styles.headText}>
            {title !== undefined && (
              <h2 id={titleId} className={styles.title}>
                {title}
              </h2>
            )}
            {description !== undefined && <p className={styles.description}>{description}</p>}
          </div>
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </div>
      )}
      <div className={cx(flush ? styles.flush : styles.body, hasHead && styles.afterHead)}>{children}</div>
    </section>
  );
}
