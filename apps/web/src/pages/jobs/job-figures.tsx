import type { ReactElement } from 'react';
import type { JobView } from '@weir/protocol';
import { isLive, isOver } from '../../data/jobs.ts';
import { Badge } from '../../components/badge.tsx';
import { Countdown } from '../../components/countdown.tsx';
import { ProgressBar, type MeterTone } from '../../components/meter.tsx';
import type { Stat } from '../../components/stats.tsx';
import { formatBytes, formatCount, formatPercent, formatTps } from '../../format/numbers.ts';
import { formatDuration } from '../../format/time.ts';
import { JOB_STATES } from '../../words/job-words.ts';
import { TroubleBadge } from './job-troubles.tsx';
import styles from './job-figures.module.css';

/** State of a job, and the holdoff that pauses its agents. */
export function JobBadges({ job }: { job: JobView }): ReactElement {
  const { label, tone } = JOB_STATES[job.state];
  return (
    <span className={styles.badges}>
      <Badge tone={job.troubles.length > 0 ? 'amber' : tone} dot>
        {label}
      </Badge>
      {job.options.dryRun && <Badge tone="accent">Dry run</Badge>}
      <TroubleBadge troubles={job.troubles} />
      {job.waitsForNewerAgents && <Badge tone="amber">Waits for newer agents</Badge>}
      {job.cleaningUp && <Badge tone="amber">Cleaning up</Badge>}
      {job.holdoffUntilMs !== null && isLive(job.state) && (
        <Badge tone="amber">
          Holdoff <Countdown untilMs={job.holdoffUntilMs} />
        </Badge>
      )}
    </span>
  );
}

/** How far a job is. */
export function JobProgress({ job }: { job: JobView }): ReactElement {
  const percent = job.state === 'queued' ? 0 : job.progressPercent;
  return (
    <div className={styles.progress}>
      <ProgressBar percent={percent} tone={progressTone(job)} label={`Progress of ${job.name}`} />
      <span className={styles.percent}>{percentText(percent)}</span>
    </div>
  );
}

function percentText(percent: number | null): string {
  if (percent === null) return 'listing';
  return percent >= 100 ? '100%' : formatPercent(percent);
}

function progressTone(job: JobView): MeterTone {
  switch (job.state) {
    case 'running':
      // Green is for what is going on.
      return job.troubles.length > 0 ? 'amber' : 'green';
    case 'completed':
      return 'accent';
    case 'paused':
    case 'completed-with-failures':
      return 'amber';
    case 'failed':
      return 'red';
    case 'queued':
    case 'cancelled':
      return 'gray';
    default:
      return job.state satisfies never;
  }
}

/** The figures of a job, in a fixed order. */
export function jobStats(job: JobView): Stat[] {
  const { counters } = job;
  const live = isLive(job.state);
  return [
    {
      name: job.options.dryRun ? 'To copy' : 'Objects',
      value: formatCount(counters.objectsCopied),
      detail:
        job.objectsTotal === null
          ? `of ${formatCount(counters.objectsListed)} listed so far`
          : `of ${formatCount(job.objectsTotal)}`,
    },
    { name: 'Data', value: formatBytes(counters.bytesCopied), detail: copied(job) },
    {
      name: 'Rate',
      value: live ? `${formatTps(job.objectsPerSecond)} objects/s` : '–',
      detail: live ? `${formatBytes(job.bytesPerSecond)}/s` : undefined,
      tone: job.troubles.length > 0 ? 'amber' : undefined,
    },
    isOver(job.state)
      ? { name: 'Took', value: took(job) }
      : { name: 'Time left', value: job.etaMs === null ? '–' : formatDuration(job.etaMs), detail: etaDetail(job) },
    {
      name: 'Skipped',
      value: formatCount(counters.objectsSkipped),
      detail: counters.objectsExcluded > 0 ? `${formatCount(counters.objectsExcluded)} left out` : undefined,
    },
    {
      name: 'Failed',
      value: formatCount(counters.objectsFailed),
      tone: counters.objectsFailed > 0 ? 'red' : undefined,
    },
    {
      name: 'Parked',
      value: job.parkedPercent === null ? '–' : formatPercent(job.parkedPercent),
      detail: 'of the time',
    },
    { name: 'Holdoffs', value: formatCount(job.holdoffCount), tone: job.holdoffCount > 0 ? 'amber' : undefined },
  ];
}

function copied(job: JobView): string {
  return job.options.dryRun ? 'would be copied' : 'copied';
}

function took(job: JobView): string {
  if (job.startedAtMs === null || job.finishedAtMs === null) return '–';
  return formatDuration(job.finishedAtMs - job.startedAtMs);
}

function etaDetail(job: JobView): string | undefined {
  if (job.state === 'queued') return 'waits for an agent';
  return job.etaMs === null && job.state === 'running' ? 'not known yet' : undefined;
}
