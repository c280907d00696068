import type { ReactElement } from 'react';
import { ApiError } from '@weir/client';
import type { JobView } from '@weir/protocol';
import { isOver, jobFile, useJob } from '../../data/jobs.ts';
import { BackLink } from '../../components/back-link.tsx';
import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Details } from '../../components/details.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Stats } from '../../components/stats.tsx';
import { formatCount } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';
import { modeLabel } from '../../words/job-words.ts';
import { DryRunResult } from './dry-run-result.tsx';
import { EndedJobActions } from './ended-job-actions.tsx';
import { JobActions } from './job-actions.tsx';
import { JobAgents } from './job-agents.tsx';
import { keyExample } from './key-example.ts';
import { JobFailures } from './job-failures.tsx';
import { JobBadges, JobProgress, jobStats } from './job-figures.tsx';
import { JobTroubles } from './job-troubles.tsx';
import { WaitsForNewerAgents } from './newer-agents.tsx';
import { optionWords } from './option-draft.ts';
import styles from './job-page.module.css';

/** One job: how far it is, what it copies, and what failed. */
export function JobPage({ jobId }: { jobId: string }): ReactElement {
  const query = useJob(jobId);
  const back = <BackLink href="/jobs">Copy Jobs</BackLink>;
  if (query.data === undefined && query.error instanceof ApiError && query.error.code === 'not-found') {
    return (
      <>
        <PageHeader title="Job not found" back={back} />
        <Card>
          <EmptyState
            icon="search"
            title="There is no such job"
            actions={<ButtonLink href="/jobs">All jobs</ButtonLink>}
          >
            It may belong to another console.
          </EmptyState>
        </Card>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={query.data?.name ?? 'Copy job'}
        back={back}
        description={query.data && <JobBadges job={query.data} />}
        actions={
          query.data && (
            <>
              <JobActions job={query.data} />
              <EndedJobActions job={query.data} />
            </>
          )
        }
      />
      <QueryState query={query} placeholderHeight={420}>
        {(job) => <Job job={job} />}
      </QueryState>
    </>
  );
}

function Job({ job }: { job: JobView }): ReactElement {
  return (
    <>
      {job.error !== null && (
        <Notice tone="red" title={`The job stopped: ${job.error.code}`}>
          {job.error.message} Correct the cause, then retry: only what is missing is copied.
        </Notice>
      )}
      <JobTroubles job={job} />
      <WaitsForNewerAgents job={job} />
      <Card title="Progress">
        <div className={styles.progress}>
          <JobProgress job={job} />
          <Stats stats={jobStats(job)} />
        </div>
      </Card>
      {job.options.dryRun && <DryRunResult job={job} />}
      <JobAgents job={job} />
      <Card title="What is copied">
        <Details
          items={[
            { name: 'Source', value: <Location location={job.source} all="all keys" some="keys that begin with" /> },
            { name: 'Target', value: <Location location={job.target} all="no prefix" some="prefix" /> },
            { name: 'Keys', value: <KeyExample job={job} /> },
            { name: 'Mode', value: modeLabel(job.mode) },
            { name: 'Options', value: optionWords(job.options, job.mode).join(', ') || 'defaults' },
            {
              name: 'Key ranges',
              value: `${formatCount(job.shardsDone)} of ${formatCount(job.shardsTotal)} done, ${formatCount(job.shardsRunning)} running`,
            },
            { name: 'Retries', value: `${formatCount(job.counters.retries)} requests` },
            { name: 'Manifest', value: <Manifest job={job} /> },
            { name: 'Created', value: `${formatDateTime(job.createdAtMs)} by ${job.createdBy}` },
            { name: 'Started', value: job.startedAtMs === null ? 'not yet' : formatDateTime(job.startedAtMs) },
            { name: 'Finished', value: job.finishedAtMs === null ? 'not yet' : formatDateTime(job.finishedAtMs) },
          ]}
        />
      </Card>
      <JobFailures job={job} />
    </>
  );
}

function Manifest({ job }: { job: JobView }): ReactElement {
  if (!job.options.manifest) return <>none is kept</>;
  if (!isOver(job.state)) return <>signed when the job has ended</>;
  return (
    <a href={jobFile(job.jobId, 'manifest')} download={`${job.jobId}-manifest.json`}>
      Download, signed
    </a>
  );
}

function KeyExample({ job }: { job: JobView }): ReactElement {
  const { from, to } = keyExample(job.source.prefix, job.target.prefix);
  if (from === to) return <>arrive unchanged</>;
  return (
    <>
      <code>{from}</code> arrives as <code>{to}</code>
    </>
  );
}

function Location({
  location,
  all,
  some,
}: {
  location: JobView['source'];
  /** What an empty prefix means, and what stands before another one. */
  all: string;
  some: string;
}): ReactElement {
  return (
    <>
      {location.endpointName} · bucket <code>{location.bucket}</code> · {location.prefix === '' ? all : `${some} `}
      {location.prefix !== '' && <code>{location.prefix}</code>}
    </>
  );
}
