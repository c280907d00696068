import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { isConnectionFailure } from '../data/connection.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './notice.tsx';
import { Skeleton } from './skeleton.tsx';

/**
 * Shows what a query knows. The first load has a placeholder; an error without data is shown in its place with a way
 * to try again; an error with data keeps the data (the shell says that the console does not answer).
 */
export function QueryState<Data>({
  query,
  placeholderHeight,
  children,
}: {
  query: UseQueryResult<Data>;
  /** Height of the placeholder in px. */
  placeholderHeight: number;
  children: (data: Data) => ReactNode;
}): ReactElement {
  if (query.data === undefined) {
    if (!query.isError) return <Skeleton height={placeholderHeight} />;
    return <ErrorNotice error={query.error} actions={<RetryButton query={query} />} />;
  }
  return (
    <>
      {query.isError && !isConnectionFailure(query.error) && (
        <ErrorNotice error={query.error} actions={<RetryButton query={query} />} />
      )}
      {children(query.data)}
    </>
  );
}

/** Asks again. */
export function RetryButton({ query }: { query: UseQueryResult }): ReactElement {
  return (
    <Button small busy={query.isFetching} onClick={() => void query.refetch()}>
      Try again
    </Button>
  );
}
