import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import type { JobView, PlannedObject } from '@weir/protocol';
import { isOver, useJobPlan, useRepeatJob } from '../../data/jobs.ts';
import { useMay } from '../../data/session.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastDone, toastError } from '../../components/toasts.tsx';
import { formatBytes, formatCount, formatPlural } from '../../format/numbers.ts';
import styles from './job-failures.module.css';

const ACTIONS: Readonly<Record<PlannedObject['action'], string>> = {
  copy: 'would be copied',
  skip: 'is there already',
  exclude: 'left out by the filter',
};

/** Objects shown until somebody asks for the rest of the sample: what follows on the page stays within reach. */
const FIRST_ROWS = 20;

/** What a dry run found, and the offer to do it. */
export function DryRunResult({ job }: { job: JobView }): ReactElement {
  const { objectsListed, objectsCopied, objectsSkipped, objectsExcluded, bytesCopied } = job.counters;
  const query = useJobPlan(job.jobId, objectsListed);
  if (objectsListed === 0 && !isOver(job.state)) {
    return <Card title="Dry run">Nothing is listed yet. What would be copied shows here.</Card>;
  }
  return (
    <Card
      title="Dry run"
      description={`${formatPlural(objectsCopied, 'object')} (${formatBytes(bytesCopied)}) would be copied, ${formatCount(objectsSkipped)} skipped, ${formatCount(objectsExcluded)} left out. Nothing was written.`}
      actions={isOver(job.state) && <RunIt job={job} />}
      flush
    >
      <QueryState query={query} placeholderHeight={160}>
        {(objects) => <Sample objects={objects} listed={objectsListed} />}
      </QueryState>
    </Card>
  );
}

function Sample({ objects, listed }: { objects: readonly PlannedObject[]; listed: number }): ReactElement {
  const [all, setAll] = useState(false);
  const shown = all ? objects : objects.slice(0, FIRST_ROWS);
  return (
    <>
      <Table
        label="First objects of the dry run"
        head={
          <>
            <Column>Key</Column>
            <Column numeric>Size</Column>
            <Column>What would be done</Column>
          </>
        }
      >
        {shown.map((object) => (
          <tr key={object.key}>
            <RowHeader>
              <code className={styles.key}>{object.key}</code>
            </RowHeader>
            <Cell name="Size" numeric>
              {object.sizeBytes === null ? '–' : formatBytes(object.sizeBytes)}
            </Cell>
            <Cell name="What would be done">{ACTIONS[object.action]}</Cell>
          </tr>
        ))}
      </Table>
      {(shown.length < objects.length || objects.length < listed) && (
        <p className={styles.more}>
          {shown.length < objects.length && (
            <Button small onClick={() => setAll(true)}>
              Show all {formatCount(objects.length)}
            </Button>
          )}
          {objects.length < listed && ` A sample of ${formatCount(objects.length)} of ${formatCount(listed)} objects.`}
        </p>
      )}
    </>
  );
}

function RunIt({ job }: { job: JobView }): ReactElement | null {
  const repeat = useRepeatJob();
  const may = useMay('operator');
  const [, navigate] = useLocation();
  if (!may) return null;
  return (
    <Button
      variant="primary"
      icon="play"
      busy={repeat.isPending}
      onClick={() =>
        repeat.mutate(
          { jobId: job.jobId, dryRun: false },
          {
            onSuccess: (real) => {
              toastDone('The job is queued', 'This time it copies.');
              navigate(`/jobs/${real.jobId}`);
            },
            onError: toastError,
          },
        )
      }
    >
      Run it
    </Button>
  );
}
