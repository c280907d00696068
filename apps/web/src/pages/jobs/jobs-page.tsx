import { useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import type { JobView } from '@weir/protocol';
import { isOver, SHOWN_JOBS, useJobs } from '../../data/jobs.ts';
import { useMay } from '../../data/session.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Age } from '../../components/countdown.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Segments } from '../../components/segments.tsx';
import { Stats } from '../../components/stats.tsx';
import { formatCount } from '../../format/numbers.ts';
import { locationText, modeLabel } from '../../words/job-words.ts';
import { StartChecklist } from '../start/start-checklist.tsx';
import { JobActions } from './job-actions.tsx';
import { JobBadges, JobProgress, jobStats } from './job-figures.tsx';
import styles from './jobs-page.module.css';

type Shown = 'all' | 'open' | 'over';

/** Copy Jobs: the queue, newest first. */
export function JobsPage(): ReactElement {
  const jobs = useJobs();
  const may = useMay('operator');
  return (
    <>
      <PageHeader
        title="Copy Jobs"
        actions={
          may && (
            <ButtonLink href="/jobs/new" variant="primary" icon="plus">
              New job
            </ButtonLink>
          )
        }
      />
      <StartChecklist />
      <QueryState query={jobs} placeholderHeight={520}>
        {(list) => (list.length === 0 ? <NoJobs /> : <JobList jobs={list} />)}
      </QueryState>
    </>
  );
}

function NoJobs(): ReactElement {
  return (
    <Card>
      <EmptyState icon="jobs" title="No copy jobs yet">
        A job copies the objects of one bucket to another. Agents share its work and the global limit.
      </EmptyState>
    </Card>
  );
}

function JobList({ jobs }: { jobs: readonly JobView[] }): ReactElement {
  const [shown, setShown] = useState<Shown>('all');
  const over = jobs.filter((job) => isOver(job.state));
  const open = jobs.filter((job) => !isOver(job.state));
  // What still needs something comes first; within each part the console's order, newest first.
  const lists: Readonly<Record<Shown, readonly JobView[]>> = { all: [...open, ...over], open, over };
  return (
    <>
      <div>
        <Segments
          label="Jobs to show"
          value={shown}
          onChange={setShown}
          options={[
            { value: 'all', label: 'All', count: jobs.length },
            { value: 'open', label: 'Unfinished', count: open.length },
            { value: 'over', label: 'Finished', count: over.length },
          ]}
        />
      </div>
      <ul className={styles.list} aria-label="Jobs">
        {lists[shown].map((job) => (
          <li key={job.jobId}>
            <JobCard job={job} />
          </li>
        ))}
      </ul>
      {lists[shown].length === 0 && <Remark as="p">No job is {shown === 'open' ? 'unfinished' : 'finished'}.</Remark>}
      {jobs.length === SHOWN_JOBS && <Remark as="p">The newest {formatCount(SHOWN_JOBS)} jobs are shown.</Remark>}
    </>
  );
}

function JobCard({ job }: { job: JobView }): ReactElement {
  return (
    <article className={styles.card} aria-label={job.name}>
      <div className={styles.head}>
        <div className={styles.names}>
          <div className={styles.nameLine}>
            <h2 className={styles.name}>
              <Link href={`/jobs/${job.jobId}`}>{job.name}</Link>
            </h2>
            <JobBadges job={job} />
          </div>
          <p className={styles.route}>
            <span>{locationText(job.source)}</span>
            <Icon name="arrowRight" size={15} />
            <span className="visually-hidden">to</span>
            <span>{locationText(job.target)}</span>
          </p>
          <p className={styles.meta}>
            {modeLabel(job.mode)} · created by {job.createdBy} <Age atMs={job.createdAtMs} />
          </p>
        </div>
        <div className={styles.actions}>
          <JobActions job={job} small />
        </div>
      </div>
      {job.error !== null && (
        <p className={styles.error}>
          <strong>{job.error.code}</strong> {job.error.message}
        </p>
      )}
      <JobProgress job={job} />
      <Stats stats={jobStats(job)} />
    </article>
  );
}
