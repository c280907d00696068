import { utf8Length, MAX_KEY_BYTES, type ProgressRequest, type ProgressResponse } from '@weir/protocol';
import type { LiveAgent } from '../fleet/live-agent.ts';
import type { StoredJob } from '../ports/job-store.ts';
import type { Stores } from '../ports/storage.ts';
import { objectsDone } from '../queue/counters.ts';
import { desiredOf, UNFINISHED } from '../queue/job-state.ts';
import { reportProgress, type Shard } from '../queue/shard.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { requireAcceptedAgent } from './require-accepted-agent.ts';
import { settleJob } from './settle-job.ts';

/**
 * Takes a report on a shard and says whether to go on. The last report of a lease may be repeated.
 * @throws ConsoleError wrong-credentials, not-found, lease-lost, validation-failed
 */
export async function takeProgress(
  context: ConsoleContext,
  agent: LiveAgent,
  shardId: string,
  report: ProgressRequest,
): Promise<ProgressResponse> {
  requireAcceptedAgent(context, agent);
  requireKey(report.checkpoint);
  const { before, after, job } = await context.storage.transaction(async (stores) => {
    const shard = await stores.shards.get(shardId);
    const job = shard && (await stores.jobs.get(shard.jobId));
    if (shard === undefined || job === undefined) throw new ConsoleError('not-found', `There is no shard ${shardId}.`);
    const reported = reportProgress(shard, agent.agentId, report);
    if ('refused' in reported) throw reported.refused === 'lease-lost' ? leaseLost(shardId) : checkpointOutside(report);
    if (!reported.repeated) await save(context, stores, job, reported.shard, report);
    return { before: shard, after: reported.shard, job };
  });
  const moment = momentOf(context);
  const objects = Math.max(0, objectsDone(after.totals) - objectsDone(before.totals));
  context.rates.add(
    job.jobId,
    objects,
    Math.max(0, after.totals.bytesCopied - before.totals.bytesCopied),
    moment.steadyMs,
  );
  context.fleet.holdoff(agent, report.holdoff, moment);
  context.count('object-failures', report.failures.length);
  if (after.state === 'leased') context.leases.heard(report.leaseId, moment.steadyMs);
  else context.leases.end(report.leaseId);
  if (after.state === 'queued') context.desk.workAppeared();
  if (!UNFINISHED.includes(job.state)) context.rates.forget(job.jobId);
  return { desired: desiredOf(job.state) };
}

/** Writes a report down; `job` is changed when the report ends it. */
async function save(
  context: ConsoleContext,
  stores: Stores,
  job: StoredJob,
  shard: Shard,
  report: ProgressRequest,
): Promise<void> {
  await stores.shards.save(shard);
  await stores.failures.record(job.jobId, shard.shardId, report.failures);
  // What failed behind the checkpoint will be tried again by the successor.
  if (shard.state === 'queued') await stores.failures.forget(shard.shardId, shard.checkpoint);
  if (report.state === 'failed' && UNFINISHED.includes(job.state)) {
    job.state = 'failed';
    job.error = report.error ?? { code: 'unknown', message: 'The agent gave no reason.' };
    job.finishedAtMs = context.clock.nowMs();
    await stores.jobs.save(job);
    const detail = { code: job.error.code };
    await audit(context, stores, { actor: `agent:${shard.agentId}`, action: 'job.fail', subject: job.jobId, detail });
  }
  if (shard.state === 'done') await settleJob(context, stores, job);
}

/** The refusal of a report under a lease that is not held any more. */
export function leaseLost(shardId: string): ConsoleError {
  return new ConsoleError('lease-lost', `The lease on shard ${shardId} has ended: stop working on it and claim again.`);
}

function checkpointOutside(report: ProgressRequest): ConsoleError {
  return new ConsoleError('validation-failed', 'The checkpoint is not a key of this shard.', {
    fields: [
      {
        field: 'checkpoint',
        value: (report.checkpoint ?? '').slice(0, 64),
        problem: 'must lie in the range of the shard',
      },
    ],
  });
}

function requireKey(checkpoint: string | null): void {
  if (checkpoint === null || (checkpoint.isWellFormed() && utf8Length(checkpoint) <= MAX_KEY_BYTES)) return;
  throw new ConsoleError('validation-failed', 'The checkpoint is not a legal key.', {
    fields: [{ field: 'checkpoint', problem: `must be valid Unicode of at most ${MAX_KEY_BYTES} bytes in UTF-8` }],
  });
}
