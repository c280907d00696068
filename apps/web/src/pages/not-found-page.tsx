import type { ReactElement } from 'react';
import { ButtonLink } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

/** For addresses that lead nowhere. */
export function NotFoundPage(): ReactElement {
  return (
    <>
      <PageHeader title="Page not found" />
      <Card>
        <EmptyState
          icon="search"
          title="There is no page at this address"
          actions={
            <ButtonLink href="/" variant="primary">
              Go to the start
            </ButtonLink>
          }
        >
          It may come from an older version, or a character is missing.
        </EmptyState>
      </Card>
    </>
  );
}
