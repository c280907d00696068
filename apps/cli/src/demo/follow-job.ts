import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@weir/client';
import type { JobView } from '@weir/protocol';
import { formatBytes, formatCount, formatDuration } from '../output/figures.ts';
import type { Progress } from '../output/progress.ts';

const FINAL_STATES: ReadonlySet<JobView['state']> = new Set([
  'completed',
  'completed-with-failures',
  'failed',
  'cancelled',
]);

/** Pause between two looks at the job, in ms. */
const POLL_MS = 500;

/** Shows a job's progress until it is over. Rejects with the signal's reason when `signal` aborts first. */
export async function followJob(
  admin: Client,
  jobId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<JobView> {
  for (;;) {
    const job = await admin.call('job', { params: { jobId }, signal });
    if (FINAL_STATES.has(job.state)) {
      progress.finish(`${job.name}: ${job.state}, ${describe(job)}`);
      return job;
    }
    const share = job.progressPercent === null ? null : job.progressPercent / 100;
    progress.update(`${job.name}: ${job.state}, ${describe(job)}`, share);
    await sleep(POLL_MS, undefined, { signal });
  }
}

function describe(job: JobView): string {
  const { objectsCopied, objectsFailed, bytesCopied } = job.counters;
  const failed = objectsFailed > 0 ? `, ${formatCount(objectsFailed)} failed` : '';
  return `${formatCount(objectsCopied)} objects, ${formatBytes(bytesCopied)}, ${pace(job)}${failed}`;
}

/** The rate and what is left of a job; what is over has no rate, but took its time. */
function pace(job: JobView): string {
  if (job.startedAtMs !== null && job.finishedAtMs !== null) {
    return `in ${formatDuration(job.finishedAtMs - job.startedAtMs)}`;
  }
  const eta = job.etaMs === null ? '' : `, ${formatDuration(job.etaMs)} left`;
  return `${formatCount(job.objectsPerSecond)}/s${eta}`;
}
