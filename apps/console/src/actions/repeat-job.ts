import type { JobView, RepeatRequest } from '@weir/protocol';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { createJob } from './create-job.ts';

/**
 * Queues a new job with the places and options of another, such as the real run after a dry one. The other stays as it is.
 * @throws ConsoleError not-found, and what createJob throws
 */
export async function repeatJob(
  context: ConsoleContext,
  jobId: string,
  change: RepeatRequest,
  actor: string,
): Promise<JobView> {
  const job = await context.storage.jobs.get(jobId);
  if (job === undefined) throw new ConsoleError('not-found', `There is no job ${jobId}.`);
  const { source, target, mode, options } = job;
  const input = {
    name: change.name ?? job.name,
    source: { endpointId: source.endpointId, bucket: source.bucket, prefix: source.prefix },
    target: { endpointId: target.endpointId, bucket: target.bucket, prefix: target.prefix },
    mode,
    options: { ...options, dryRun: change.dryRun ?? options.dryRun },
  };
  return createJob(context, input, actor);
}
