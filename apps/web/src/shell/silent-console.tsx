import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { cx } from '../components/class-names.ts';
import { ErrorNotice } from '../components/notice.tsx';
import { RetryButton } from '../components/query-state.tsx';
import { Remark } from '../components/remark.tsx';
import { Logo } from './logo.tsx';
import styles from './silent-console.module.css';

/** What stands alone while nobody knows who is logged in: the console has not answered yet, or does not. */
export function SilentConsole({ session }: { session: UseQueryResult }): ReactElement {
  useEffect(() => {
    document.title = 'No answer yet · Weir';
  }, []);
  return (
    <main className={styles.page}>
      <div className={cx(styles.box, !session.isError && styles.waiting)}>
        <Logo />
        <h1 className="visually-hidden">The console has not answered yet</h1>
        {session.isError ? (
          <>
            <ErrorNotice error={session.error} actions={<RetryButton query={session} />} />
            <Remark as="p">This page keeps trying, and goes on by itself.</Remark>
          </>
        ) : (
          <Remark as="p">Waiting for the console…</Remark>
        )}
      </div>
    </main>
  );
}
