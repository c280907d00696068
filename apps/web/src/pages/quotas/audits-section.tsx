import { useState, type FormEvent, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import type { AuditRunView, QuotaStoreView } from '@weir/protocol';
import { useQuotaAudits, useQuotaStores, useStartQuotaAudit } from '../../data/quotas.ts';
import { useMay } from '../../data/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { formatBytes, formatCount } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';
import { refusedFields } from '../../words/field-errors.ts';
import { AUDIT_STATES } from '../../words/quota-words.ts';
import styles from './quotas.module.css';

/** Looks for counters that never go away, whoever wrote them. */
export function AuditsSection(): ReactElement {
  const audits = useQuotaAudits();
  const may = useMay('operator');
  return (
    <>
      {may && <StartCard />}
      <Card title="Audits" description="The last 20, newest first." flush>
        <QueryState query={audits} placeholderHeight={180}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState icon="search" title="No audit yet">
                An audit finds counters without a deadline and of ended periods, on any Redis, Valkey or memcached.
              </EmptyState>
            ) : (
              <AuditTable audits={list} />
            )
          }
        </QueryState>
      </Card>
    </>
  );
}

function StartCard(): ReactElement {
  const stores = useQuotaStores().data?.filter(({ kind }) => kind !== 'memory');
  return (
    <Card
      title="Audit a store"
      description="Reads only, at most 5,000 keys a second, and slower while the server is busy."
    >
      {stores?.length === 0 ? (
        <EmptyState
          icon="database"
          title="No store to audit"
          actions={<ButtonLink href="/quotas/stores">Connect a store</ButtonLink>}
        >
          The memory of this console holds no counter without a deadline.
        </EmptyState>
      ) : (
        <StartForm stores={stores ?? []} />
      )}
    </Card>
  );
}

const TEXTS = [
  { key: 'match', label: 'Only keys like (optional)', placeholder: 'login:*', maxLength: 256 },
  { key: 'counters', label: 'These are counters, too (optional)', placeholder: 'hits:* seen:*', maxLength: 1_024 },
  { key: 'zone', label: 'Zone of dates in names (optional)', placeholder: 'Europe/Berlin', maxLength: 64 },
] as const;

function StartForm({ stores }: { stores: readonly QuotaStoreView[] }): ReactElement {
  const start = useStartQuotaAudit();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState({ storeId: '', match: '', counters: '', zone: '' });
  const storeId = draft.storeId || (stores[0]?.storeId ?? '');
  const errors = refusedFields(start.error);
  const change = (part: Partial<typeof draft>): void => {
    setDraft({ ...draft, ...part });
    start.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (start.isPending || storeId === '') return;
    const [match, zone] = [draft.match.trim(), draft.zone.trim()];
    const counters = draft.counters.split(/\s+/).filter((pattern) => pattern !== '');
    const input = { storeId, counters, ...(match === '' ? {} : { match }), ...(zone === '' ? {} : { zone }) };
    start.mutate(input, { onSuccess: ({ auditId }) => navigate(`/quotas/audits/${auditId}`) });
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <div className={styles.pair}>
        <SelectField label="Store" value={storeId} onChange={(event) => change({ storeId: event.target.value })}>
          {stores.map((store) => (
            <option key={store.storeId} value={store.storeId}>
              {store.name}
            </option>
          ))}
        </SelectField>
        {TEXTS.map(({ key, ...texts }) => (
          <TextField
            key={key}
            {...texts}
            value={draft[key]}
            error={errors[key]}
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => change({ [key]: event.target.value })}
          />
        ))}
      </div>
      {start.isError && Object.keys(errors).length === 0 && <ErrorNotice error={start.error} />}
      <div className={styles.actions}>
        <Button variant="primary" type="submit" busy={start.isPending}>
          Start the audit
        </Button>
      </div>
    </form>
  );
}

function AuditTable({ audits }: { audits: readonly AuditRunView[] }): ReactElement {
  return (
    <Table
      label="Audits"
      head={
        <>
          <Column>Started</Column>
          <Column>Store</Column>
          <Column>State</Column>
          <Column numeric>Keys</Column>
          <Column numeric>With findings</Column>
          <Column numeric>Wasted</Column>
        </>
      }
    >
      {audits.map(({ auditId, startedAtMs, startedBy, storeName, state, progress, report }) => (
        <tr key={auditId}>
          <RowHeader>
            <Link href={`/quotas/audits/${auditId}`}>{formatDateTime(startedAtMs)}</Link>
            <Remark>by {startedBy}</Remark>
          </RowHeader>
          <Cell name="Store">{storeName}</Cell>
          <Cell name="State">
            <Badge tone={AUDIT_STATES[state].tone} dot>
              {AUDIT_STATES[state].label}
            </Badge>
          </Cell>
          <Cell name="Keys" numeric>
            {formatCount(report?.keys.listed ?? progress.keys)}
          </Cell>
          <Cell name="With findings" numeric>
            {formatCount(report?.findings.keys ?? progress.found)}
          </Cell>
          <Cell name="Wasted" numeric>
            {report === null ? '–' : formatBytes(report.waste.bytes)}
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
