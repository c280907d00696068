import type { CopyFailure } from '@weir/protocol';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Objects of a job that could not be copied, by key; `total` counts those too that were too many to keep.
 * @throws ConsoleError not-found
 */
export async function listFailures(
  context: ConsoleContext,
  jobId: string,
  limit: number,
): Promise<{ failures: CopyFailure[]; total: number }> {
  if ((await context.storage.jobs.get(jobId)) === undefined)
    throw new ConsoleError('not-found', `There is no job ${jobId}.`);
  const failures = await context.storage.failures.list(jobId, limit);
  const outlines = await context.storage.shards.outlinesOf([jobId]);
  const counted = outlines.reduce((sum, { totals }) => sum + totals.objectsFailed, 0);
  return { failures, total: Math.max(counted, failures.length) };
}
