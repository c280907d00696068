import type { JobAction, JobView } from '@weir/protocol';
import type { StoredJob } from '../ports/job-store.ts';
import type { Stores } from '../ports/storage.ts';
import { stateAfter, statesFor, UNFINISHED } from '../queue/job-state.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { jobViewOf } from './read-job.ts';
import { requeueFailed } from './requeue-failed.ts';
import { settleJob } from './settle-job.ts';

/**
 * Pauses, resumes, cancels or retries a job. Agents that hold shards of it hear of it with their next report.
 * @throws ConsoleError not-found, wrong-state
 */
export async function actOnJob(
  context: ConsoleContext,
  jobId: string,
  action: JobAction,
  actor: string,
): Promise<JobView> {
  const job = await context.storage.transaction(async (stores) => {
    const found = await stores.jobs.get(jobId);
    if (found === undefined) throw new ConsoleError('not-found', `There is no job ${jobId}.`);
    if (!statesFor(action).includes(found.state)) throw wrongState(found, action);
    if (action === 'retry') await requireEndpoints(stores, found);
    await act(context, stores, found, action);
    const detail = { name: found.name, state: found.state };
    await audit(context, stores, { actor, action: `job.${action}`, subject: jobId, detail });
    return found;
  });
  if (!UNFINISHED.includes(job.state)) context.rates.forget(jobId);
  // What is left to do is another amount now.
  context.gauges.forget(jobId);
  context.desk.workAppeared();
  return jobViewOf(context, job);
}

async function act(context: ConsoleContext, stores: Stores, job: StoredJob, action: JobAction): Promise<void> {
  job.state = stateAfter(action, job.startedAtMs !== null);
  job.finishedAtMs = action === 'cancel' ? context.clock.nowMs() : null;
  if (action === 'retry') {
    job.error = null;
    await requeueFailed(context, stores, job.jobId);
  }
  await stores.jobs.save(job);
  // Its last shard may have been finished while it was paused or after it was cancelled.
  if (action === 'retry' || action === 'resume') await settleJob(context, stores, job);
}

async function requireEndpoints(stores: Stores, job: StoredJob): Promise<void> {
  for (const side of ['source', 'target'] as const) {
    if (await stores.endpoints.get(job[side].endpointId)) continue;
    throw new ConsoleError(
      'wrong-state',
      `The endpoint ${job[side].endpointName} of this job was removed, so it cannot be retried: make a new job.`,
    );
  }
}

function wrongState(job: StoredJob, action: JobAction): ConsoleError {
  const states = statesFor(action).join(', ');
  return new ConsoleError('wrong-state', `The job ${job.name} is ${job.state}; ${action} works for: ${states}.`);
}
