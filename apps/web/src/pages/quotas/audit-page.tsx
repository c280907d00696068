import type { ReactElement } from 'react';
import { ApiError } from '@weir/client';
import type { AuditReportView, AuditRunView } from '@weir/protocol';
import { isRunning, useQuotaAudit, useStopQuotaAudit } from '../../data/quotas.ts';
import { useMay } from '../../data/session.ts';
import { BackLink } from '../../components/back-link.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProgressBar } from '../../components/meter.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Stats } from '../../components/stats.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastError } from '../../components/toasts.tsx';
import { formatBytes, formatCount, formatPlural } from '../../format/numbers.ts';
import { formatDateTime, formatDuration } from '../../format/time.ts';
import { AUDIT_STATES } from '../../words/quota-words.ts';
import { RepairCard } from './repair-card.tsx';
import styles from './quotas.module.css';

/** One audit: how far it is, what it found, and what can be repaired. */
export function AuditPage({ auditId }: { auditId: string }): ReactElement {
  const query = useQuotaAudit(auditId);
  const back = <BackLink href="/quotas/audits">Audits</BackLink>;
  if (query.data === undefined && query.error instanceof ApiError && query.error.code === 'not-found') {
    return (
      <>
        <PageHeader title="Audit not found" back={back} />
        <Card>
          <EmptyState
            icon="search"
            title="There is no such audit"
            actions={<ButtonLink href="/quotas/audits">All audits</ButtonLink>}
          >
            The last 20 are kept.
          </EmptyState>
        </Card>
      </>
    );
  }
  const audit = query.data;
  return (
    <>
      <PageHeader
        title={audit === undefined ? 'Audit' : `Audit of ${audit.storeName}`}
        back={back}
        description={
          audit && (
            <>
              <Badge tone={AUDIT_STATES[audit.state].tone} dot>
                {AUDIT_STATES[audit.state].label}
              </Badge>{' '}
              {formatDateTime(audit.startedAtMs)}, by {audit.startedBy}
              {audit.endedAtMs !== null && `, took ${formatDuration(audit.endedAtMs - audit.startedAtMs)}`}
            </>
          )
        }
        actions={audit && isRunning(audit) && <StopButton audit={audit} />}
      />
      <QueryState query={query} placeholderHeight={420}>
        {(run) => <Audit audit={run} />}
      </QueryState>
    </>
  );
}

function StopButton({ audit }: { audit: AuditRunView }): ReactElement | null {
  const stop = useStopQuotaAudit();
  const may = useMay('operator');
  if (!may) return null;
  return (
    <Button icon="stop" busy={stop.isPending} onClick={() => stop.mutate(audit.auditId, { onError: toastError })}>
      Stop
    </Button>
  );
}

function Audit({ audit }: { audit: AuditRunView }): ReactElement {
  const { report, problem, state } = audit;
  return (
    <>
      {(state === 'failed' || state === 'stopped') && problem !== null && (
        <Notice
          tone={state === 'failed' ? 'red' : 'amber'}
          title={state === 'failed' ? 'It failed.' : 'It was stopped.'}
        >
          {problem}
        </Notice>
      )}
      {state === 'listing' && <Listing audit={audit} />}
      {report !== null && (
        <>
          <Findings report={report} />
          {report.findings.keys > 0 && <RepairCard audit={audit} />}
          {report.families.length > 0 && <Families report={report} />}
          {report.subjects.some(({ keys }) => keys > 1) && <Subjects report={report} />}
        </>
      )}
    </>
  );
}

function Listing({ audit }: { audit: AuditRunView }): ReactElement {
  const { keys, total, found, keysPerSecond } = audit.progress;
  const percent = total === null || total === 0 ? null : Math.min(100, (keys / total) * 100);
  return (
    <Card title="Looking through the store">
      <div className={styles.column}>
        <ProgressBar percent={percent} tone="accent" label="Progress of the audit" />
        <Remark as="p">
          {formatPlural(keys, 'key')}
          {total === null ? '' : ` of about ${formatCount(total)}`}, {formatCount(found)} with findings,{' '}
          {formatCount(Math.round(keysPerSecond))} keys/s
        </Remark>
      </div>
    </Card>
  );
}

function Findings({ report }: { report: AuditReportView }): ReactElement {
  const { findings, waste, growth, projection, keys } = report;
  const year = projection.find(({ days }) => days === 365);
  return (
    <Card
      title={findings.keys === 0 ? 'Nothing found: every counter has a deadline that fits' : 'Findings'}
      description={`${formatPlural(keys.listed, 'key')}, ${formatCount(keys.counters)} of them counters. Sizes are estimates.`}
    >
      <Stats
        stats={[
          {
            name: 'Without a deadline',
            value: formatCount(findings.undated.keys),
            detail: `${formatBytes(findings.undated.bytes)}, for ever`,
            tone: findings.undated.keys > 0 ? 'red' : undefined,
          },
          {
            name: 'Of ended periods',
            value: formatCount(findings.ended.keys),
            detail: `${formatBytes(findings.ended.bytes)}, nobody reads them`,
            tone: findings.ended.keys > 0 ? 'amber' : undefined,
          },
          {
            name: 'Deadline too far',
            value: formatCount(findings.tooLong),
            detail: 'beyond policy or period',
          },
          {
            name: 'Negative or no number',
            value: formatCount(findings.negative + findings.notNumbers),
            detail: 'to be looked at by hand',
          },
          { name: 'Wasted now', value: formatBytes(waste.bytes), detail: formatPlural(waste.keys, 'key') },
          {
            name: 'In a year',
            value: year === undefined || growth.days === 0 ? '–' : formatBytes(year.bytes),
            detail: growth.days === 0 ? 'growth not known' : `${formatCount(Math.round(growth.keysPerDay))} keys a day`,
          },
        ]}
      />
    </Card>
  );
}

function Families({ report }: { report: AuditReportView }): ReactElement {
  return (
    <Card title="Families of counters" description="By how their names are built; most findings first." flush>
      <Table
        label="Families of counters"
        head={
          <>
            <Column>Family</Column>
            <Column numeric>Counters</Column>
            <Column numeric>No deadline</Column>
            <Column numeric>Ended</Column>
            <Column numeric>Too far</Column>
            <Column numeric>Wasted</Column>
          </>
        }
      >
        {report.families.map((family) => (
          <tr key={family.family}>
            <RowHeader className={styles.breakable}>
              {family.family}
              {family.example !== null && <Remark>such as {family.example}</Remark>}
            </RowHeader>
            <Cell name="Counters" numeric>
              {formatCount(family.counters)}
            </Cell>
            <Cell name="No deadline" numeric>
              {formatCount(family.undated)}
            </Cell>
            <Cell name="Ended" numeric>
              {formatCount(family.ended)}
            </Cell>
            <Cell name="Too far" numeric>
              {formatCount(family.tooLong)}
            </Cell>
            <Cell name="Wasted" numeric>
              {formatBytes(family.wastedBytes)}
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function Subjects({ report }: { report: AuditReportView }): ReactElement {
  return (
    <Card title="Subjects with most wasted counters" flush>
      <Table
        label="Subjects with most wasted counters"
        head={
          <>
            <Column>Subject</Column>
            <Column>Family</Column>
            <Column numeric>Wasted counters</Column>
          </>
        }
      >
        {report.subjects
          .filter(({ keys }) => keys > 1)
          .map(({ subject, family, keys }) => (
            <tr key={`${family} ${subject}`}>
              <RowHeader className={styles.breakable}>{subject}</RowHeader>
              <Cell name="Family" className={styles.breakable}>
                {family}
              </Cell>
              <Cell name="Wasted counters" numeric>
                {formatCount(keys)}
              </Cell>
            </tr>
          ))}
      </Table>
    </Card>
  );
}
