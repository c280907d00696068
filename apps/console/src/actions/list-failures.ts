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

/** Failures read at a time. */
const PAGE = 1_000;

/** All failures of a job that are kept, by key, in pages. @throws ConsoleError not-found, before the first page */
export async function failurePages(
  context: ConsoleContext,
  jobId: string,
): Promise<AsyncIterable<readonly CopyFailure[]>> {
  if ((await context.storage.jobs.get(jobId)) === undefined)
    throw new ConsoleError('not-found', `There is no job ${jobId}.`);
  return pagesOf(context, jobId);
}

async function* pagesOf(context: ConsoleContext, jobId: string): AsyncGenerator<readonly CopyFailure[]> {
  let after: string | undefined;
  for (;;) {
    const page = await context.storage.failures.list(jobId, PAGE, after);
    if (page.length > 0) yield page;
    after = page.at(-1)?.key;
    if (page.length < PAGE) return;
  }
}
