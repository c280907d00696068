import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';
import styles from './page-header.module.css';

/** Whether a page was shown before: then the new one takes the focus, so that screen readers say where one is. */
let navigated = false;

/** Title of a page; also names the browser tab, by the part of the page that is shown where it has parts. */
export function PageHeader({
  title,
  part,
  description,
  back,
  actions,
}: {
  title: string;
  /** What is shown of a page with tabs of its own. */
  part?: string | undefined;
  description?: ReactNode;
  back?: ReactNode;
  actions?: ReactNode;
}): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [part, title, 'Weir'].filter((name) => name !== undefined).join(' · ');
  }, [part, title]);
  useEffect(() => {
    if (navigated) heading.current?.focus({ preventScroll: true });
    navigated = true;
  }, []);
  return (
    <header className={styles.header}>
      <div className={styles.text}>
        {back}
        <h1 ref={heading} tabIndex={-1} className={styles.title}>
          {title}
        </h1>
        {description !== undefined && <p className={styles.description}>{description}</p>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
