import type { ReactElement } from 'react';
import type { JobView } from '@weir/protocol';
import { isLive, jobFile, useJobFailures } from '../../data/jobs.ts';
import { Card } from '../../components/card.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import styles from './job-failures.module.css';

/** Objects that could not be copied, each with its reason. */
export function JobFailures({ job }: { job: JobView }): ReactElement {
  const failed = job.counters.objectsFailed;
  const query = useJobFailures(job.jobId, failed);
  if (failed === 0) {
    return (
      <Card title="Failed objects">
        <p className={styles.none}>None.</p>
      </Card>
    );
  }
  return (
    <Card
      title="Failed objects"
      description={`${formatPlural(failed, 'object')} could not be copied.${isLive(job.state) ? '' : ' Retry copies only these.'}`}
      actions={
        <>
          <a href={jobFile(job.jobId, 'failures.csv')} download>
            CSV
          </a>
          <a href={jobFile(job.jobId, 'failures.json')} download>
            JSON
          </a>
        </>
      }
      flush
    >
      <QueryState query={query} placeholderHeight={240}>
        {({ failures, total }) => (
          <>
            <Table
              label="Failed objects"
              className={styles.table}
              head={
                <>
                  <Column>Key</Column>
                  <Column>Reason</Column>
                  <Column>Request id</Column>
                </>
              }
            >
              {failures.map((failure) => (
                <tr key={failure.key}>
                  <RowHeader>
                    <code className={styles.key}>{failure.key}</code>
                  </RowHeader>
                  <Cell name="Reason">
                    <strong>{failure.code}</strong>
                    <span className={styles.message}>{failure.message}</span>
                  </Cell>
                  <Cell name="Request id">
                    {failure.requestId === null ? '–' : <code className={styles.key}>{failure.requestId}</code>}
                  </Cell>
                </tr>
              ))}
            </Table>
            {total > failures.length && (
              <p className={styles.more}>
                The first {formatCount(failures.length)} of {formatCount(total)} are listed.
              </p>
            )}
          </>
        )}
      </QueryState>
    </Card>
  );
}
