import { useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import type { QuotaView } from '@weir/protocol';
import { useQuotas } from '../../data/quotas.ts';
import { useMay } from '../../data/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { formatCount } from '../../format/numbers.ts';
import { limitWords, quotaState } from '../../words/quota-words.ts';
import { QuotaDialog } from './quota-form.tsx';
import styles from './quotas.module.css';

/** What is limited, and how much of it was refused. */
export function QuotasSection(): ReactElement {
  const quotas = useQuotas();
  const may = useMay('admin');
  const [adding, setAdding] = useState(false);
  const [, navigate] = useLocation();
  return (
    <>
      <Card
        title="Quotas"
        description="Takes and refusals are those that this console decided since it started."
        flush
        actions={
          may && (
            <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
              Define quota
            </Button>
          )
        }
      >
        <QueryState query={quotas} placeholderHeight={260}>
          {(list) => <Lists quotas={list} />}
        </QueryState>
      </Card>
      {adding && (
        <QuotaDialog
          quota={null}
          onClose={() => setAdding(false)}
          onSaved={({ definitionId }) => navigate(`/quotas/definitions/${definitionId}`)}
        />
      )}
    </>
  );
}

function Lists({ quotas }: { quotas: readonly QuotaView[] }): ReactElement {
  return (
    <>
      {quotas.every(({ builtIn }) => builtIn) && (
        <EmptyState icon="quotas" title="No quota of yours yet">
          Below are those that protect this console. Define one on its memory to try it out, or connect a Redis or
          memcached under Stores.
        </EmptyState>
      )}
      <Table
        label="Quotas"
        head={
          <>
            <Column>Quota</Column>
            <Column>State</Column>
            <Column>Limit</Column>
            <Column>Store</Column>
            <Column numeric>Takes</Column>
            <Column numeric>Refused</Column>
            <Column numeric hint="Refused in the last hour">
              Last hour
            </Column>
          </>
        }
      >
        {quotas.map((quota) => (
          <QuotaRow key={quota.definitionId} quota={quota} />
        ))}
      </Table>
    </>
  );
}

function QuotaRow({ quota }: { quota: QuotaView }): ReactElement {
  const state = quotaState(quota);
  return (
    <tr>
      <RowHeader>
        <Link href={`/quotas/definitions/${quota.definitionId}`}>{quota.quota}</Link>
        {quota.builtIn && <Remark>protects this console</Remark>}
      </RowHeader>
      <Cell name="State">
        <Badge tone={state.tone} dot>
          {state.label}
        </Badge>
        {quota.problem !== null && <Remark>{quota.problem}</Remark>}
      </Cell>
      <Cell name="Limit" className={styles.moment}>
        {limitWords(quota)}
        {quota.zone !== 'UTC' && <Remark>{quota.zone}</Remark>}
      </Cell>
      <Cell name="Store">{quota.storeName}</Cell>
      <Cell name="Takes" numeric>
        {formatCount(quota.takes)}
      </Cell>
      <Cell name="Refused" numeric>
        {formatCount(quota.refused)}
      </Cell>
      <Cell name="Last hour" numeric>
        {formatCount(quota.refusedLastHour)}
      </Cell>
    </tr>
  );
}
