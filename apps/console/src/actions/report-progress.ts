import { utf8Length, MAX_KEY_BYTES, type ProgressRequest, type ProgressResponse } from '@weir/protocol';
import type { LeaseNews } from '../fleet/lease-watch.ts';
import type { LiveAgent } from '../fleet/live-agent.ts';
import type { StoredJob } from '../ports/job-store.ts';
import type { Stores } from '../ports/storage.ts';
import { objectsDone } from '../queue/counters.ts';
import { desiredOf, UNFINISHED } from '../queue/job-state.ts';
import { reportProgress, type Shard } from '../queue/shard.ts';
import { partsWanted } from './ask-for-split.ts';
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
  // It was heard now, however long the database keeps it waiting: its lease must not lapse meanwhile.
  context.leases.heardFrom(report.leaseId, agent.agentId, context.clock.steadyMs());
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
  context.fleet.holdoff(agent, report.holdoff, moment);
  context.count('object-failures', report.failures.length);
  const trafficBytes = context.leases.heard(report.leaseId, moment.steadyMs, newsOf(report, moment.nowMs));
  const objects = Math.max(0, objectsDone(after.totals) - objectsDone(before.totals));
  const bytes = Math.max(0, after.totals.bytesCopied - before.totals.bytesCopied);
  context.rates.add(job.jobId, agent.agentId, { objects, bytes, trafficBytes }, moment.steadyMs);
  if (after.state !== 'leased') context.leases.end(report.leaseId);
  if (after.state === 'queued') context.desk.workAppeared();
  if (!UNFINISHED.includes(job.state)) {
    context.rates.forget(job.jobId);
    context.gauges.forget(job.jobId);
  }
  return answer(context, agent, report, job, after);
}

async function answer(
  context: ConsoleContext,
  agent: LiveAgent,
  report: ProgressRequest,
  job: StoredJob,
  shard: Shard,
): Promise<ProgressResponse> {
  const desired = desiredOf(job.state, shard.leaseKind);
  if (desired !== 'run' || shard.state !== 'leased' || shard.leaseKind !== 'copy' || !report.canSplit)
    return { desired };
  if (context.desk.waiting === 0) return { desired };
  const shards = await context.storage.shards.countOf(job.jobId);
  const splitInto = partsWanted(context, agent.agentId, report, job, shards);
  return splitInto === 0 ? { desired } : { desired: 'split', splitInto };
}

/** What a report says that is known only as long as the lease is. */
function newsOf({ trouble, traffic }: ProgressRequest, nowMs: number): LeaseNews {
  return {
    trafficBytes: traffic.bytesRead + traffic.bytesWritten,
    trouble: trouble && {
      code: trouble.code,
      message: trouble.message,
      sinceMs: Math.max(0, nowMs - trouble.forMs),
      nextRetryAtMs: trouble.retryInMs === null ? null : nowMs + trouble.retryInMs,
    },
  };
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
  if (job.options.dryRun) await stores.planned.record(job.jobId, report.planned);
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
