import { useState, type ReactElement } from 'react';
import { ApiError } from '@weir/client';
import { useLocation } from 'wouter';
import type { QuotaUsage, QuotaView, SubjectUsage } from '@weir/protocol';
import { useDeleteQuota, useQuotaUsage, useResetSubject } from '../../data/quotas.ts';
import { useMay } from '../../data/session.ts';
import { RefusalChart } from '../../charts/refusal-chart.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { MiniBar } from '../../components/meter.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Stats } from '../../components/stats.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastDone, toastError } from '../../components/toasts.tsx';
import { bandOf } from '../../format/band.ts';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';
import { limitWords, quotaState } from '../../words/quota-words.ts';
import { QuotaDialog } from './quota-form.tsx';
import { TryQuota } from './try-quota.tsx';
import styles from './quotas.module.css';

/** One quota: who took most, what was refused, and a way to try it. */
export function QuotaPage({ definitionId }: { definitionId: string }): ReactElement {
  const query = useQuotaUsage(definitionId);
  const back = <BackLink href="/quotas">Quotas</BackLink>;
  if (query.data === undefined && query.error instanceof ApiError && query.error.code === 'not-found') {
    return (
      <>
        <PageHeader title="Quota not found" back={back} />
        <Card>
          <EmptyState
            icon="search"
            title="There is no such quota"
            actions={<ButtonLink href="/quotas">All quotas</ButtonLink>}
          >
            Somebody may have removed it.
          </EmptyState>
        </Card>
      </>
    );
  }
  const quota = query.data?.quota;
  return (
    <>
      <PageHeader
        title={quota?.quota ?? 'Quota'}
        back={back}
        description={quota && <Subtitle quota={quota} />}
        actions={quota && !quota.builtIn && <Actions quota={quota} />}
      />
      <QueryState query={query} placeholderHeight={480}>
        {(usage) => <Usage usage={usage} />}
      </QueryState>
    </>
  );
}

function Subtitle({ quota }: { quota: QuotaView }): ReactElement {
  const state = quotaState(quota);
  return (
    <>
      <Badge tone={state.tone} dot>
        {state.label}
      </Badge>{' '}
      {limitWords(quota)} for each {quota.subjects === 'address' ? 'network address' : 'subject'}
      {quota.zone === 'UTC' ? '' : `, ${quota.zone}`}, on {quota.storeName}
    </>
  );
}

function Actions({ quota }: { quota: QuotaView }): ReactElement | null {
  const may = useMay('admin');
  const remove = useDeleteQuota();
  const [asking, setAsking] = useState<'change' | 'remove' | null>(null);
  const [, navigate] = useLocation();
  if (!may) return null;
  return (
    <>
      <Button onClick={() => setAsking('change')}>Change</Button>
      <Button icon="trash" onClick={() => setAsking('remove')}>
        Remove
      </Button>
      {asking === 'change' && (
        <QuotaDialog
          quota={quota}
          onClose={() => setAsking(null)}
          onSaved={() => {
            setAsking(null);
            toastDone(`${quota.quota} is changed`, 'It is in force at once.');
          }}
        />
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          open
          title={`Remove ${quota.quota}?`}
          confirmLabel="Remove the quota"
          danger
          busy={remove.isPending}
          error={remove.error}
          onCancel={() => setAsking(null)}
          onConfirm={() => remove.mutate(quota.definitionId, { onSuccess: () => navigate('/quotas') })}
        >
          Its counters stay in the store until their deadlines. Programs that define it themselves go on counting.
        </ConfirmDialog>
      )}
    </>
  );
}

function Usage({ usage }: { usage: QuotaUsage }): ReactElement {
  const { quota, series } = usage;
  return (
    <>
      {quota.problem !== null && (
        <Notice tone="red" title="This quota is not in force here.">
          {quota.problem}
        </Notice>
      )}
      <Card>
        <Stats stats={statsOf(usage)} />
      </Card>
      <Card
        title="Refusals over time"
        description="Takes that this console decided in the last 24 hours, five minutes a bar. Other programs decide by themselves."
      >
        <RefusalChart series={series} />
        <RefusalFigures usage={usage} />
      </Card>
      {quota.definitionId === 'login-user' ? (
        <Notice tone="info" title="Who tried is not listed.">
          What is typed as a user name may be a password in the wrong field. The addresses are under login-address.
        </Notice>
      ) : (
        <TopSubjects usage={usage} />
      )}
      {!quota.builtIn && <TryQuota quota={quota} />}
    </>
  );
}

function statsOf({ quota, subjects, partial }: QuotaUsage): Parameters<typeof Stats>[0]['stats'] {
  return [
    { name: 'Takes', value: formatCount(quota.takes), detail: 'since this console started' },
    {
      name: 'Refused',
      value: formatCount(quota.refused),
      detail: quota.shadow ? 'would have been: shadow' : 'since this console started',
    },
    {
      name: 'Refused in the last hour',
      value: formatCount(quota.refusedLastHour),
      tone: quota.refusedLastHour > 0 ? 'amber' : undefined,
    },
    {
      name: 'Subjects',
      value: subjects === null ? '–' : `${partial ? 'more than ' : ''}${formatCount(subjects)}`,
      detail: 'with a counter in this period',
    },
  ];
}

/** The bars with refusals as text, for those who cannot see or point at them. */
function RefusalFigures({ usage: { series } }: { usage: QuotaUsage }): ReactElement | null {
  const rows = series.atMs
    .map((atMs, point) => ({ atMs, refused: series.refused[point] ?? 0, admitted: series.admitted[point] ?? 0 }))
    .filter(({ refused }) => refused > 0)
    .toReversed()
    .slice(0, 50);
  if (rows.length === 0) return null;
  return (
    <details className={styles.more}>
      <summary>Refusals as figures</summary>
      <Table
        label="Refusals as figures"
        head={
          <>
            <Column>Five minutes from</Column>
            <Column numeric>Refused</Column>
            <Column numeric>Admitted</Column>
          </>
        }
      >
        {rows.map(({ atMs, refused, admitted }) => (
          <tr key={atMs}>
            <RowHeader>{formatDateTime(atMs)}</RowHeader>
            <Cell name="Refused" numeric>
              {formatCount(refused)}
            </Cell>
            <Cell name="Admitted" numeric>
              {formatCount(admitted)}
            </Cell>
          </tr>
        ))}
      </Table>
    </details>
  );
}

function TopSubjects({ usage }: { usage: QuotaUsage }): ReactElement {
  const { quota, top, partial, lookedAtMs } = usage;
  const seen = lookedAtMs === null ? 'As this console has seen them.' : 'As they stand in the store, whoever counted.';
  return (
    <Card title="Top subjects" description={`${seen} Most used first, at most 20.`} flush>
      {partial && (
        <Notice tone="amber" title="The store holds more than is looked through for this page.">
          The figures are of a part of its counters.
        </Notice>
      )}
      {top.length === 0 ? (
        <EmptyState icon="quotas" title="Nothing was taken in this period">
          Counters appear with the first take, and end by themselves.
        </EmptyState>
      ) : (
        <Table
          label="Top subjects"
          head={
            <>
              <Column>Subject</Column>
              <Column numeric>Used</Column>
              <Column>Of the limit</Column>
              <Column numeric hint="Takes of it that this console refused in this period">
                Refused
              </Column>
              <Column>Begins anew</Column>
              {!quota.builtIn && (
                <Column numeric>
                  <span className="visually-hidden">Actions</span>
                </Column>
              )}
            </>
          }
        >
          {top.map((subject) => (
            <SubjectRow key={subject.subject} quota={quota} subject={subject} />
          ))}
        </Table>
      )}
    </Card>
  );
}

function SubjectRow({ quota, subject }: { quota: QuotaView; subject: SubjectUsage }): ReactElement {
  const reset = useResetSubject(quota.definitionId);
  const may = useMay('operator');
  const { used, limit, resetAtMs, refused } = subject;
  const percent = limit === 0 ? 100 : (used / limit) * 100;
  const name = subject.shortened ? `${subject.subject}…` : subject.subject;
  return (
    <tr>
      <RowHeader className={styles.breakable}>{name}</RowHeader>
      <Cell name="Used" numeric>
        {formatCount(used)} / {formatCount(limit)}
      </Cell>
      <Cell name="Of the limit">
        <MiniBar percent={percent} tone={bandOf(percent)} />
        <span className="visually-hidden">{Math.round(percent)}%</span>
      </Cell>
      <Cell name="Refused" numeric>
        {formatCount(refused)}
      </Cell>
      <Cell name="Begins anew" className={styles.moment}>
        {resetAtMs === null ? '–' : formatDateTime(resetAtMs)}
      </Cell>
      {!quota.builtIn && (
        <Cell numeric>
          {may && !subject.shortened && (
            <Button
              small
              busy={reset.isPending}
              aria-label={`Let ${name} begin anew`}
              onClick={() =>
                reset.mutate(subject.subject, {
                  onSuccess: () => toastDone(`${name} begins anew`, `${formatPlural(used, 'take')} forgotten.`),
                  onError: toastError,
                })
              }
            >
              Reset
            </Button>
          )}
        </Cell>
      )}
    </tr>
  );
}
