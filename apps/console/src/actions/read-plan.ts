import type { PlannedObject } from '@weir/protocol';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/** What a dry run met first. @throws ConsoleError not-found, wrong-state */
export async function readPlan(context: ConsoleContext, jobId: string): Promise<PlannedObject[]> {
  const job = await context.storage.jobs.get(jobId);
  if (job === undefined) throw new ConsoleError('not-found', `There is no job ${jobId}.`);
  if (!job.options.dryRun) {
    throw new ConsoleError('wrong-state', `The job ${job.name} is no dry run: only those list what they would do.`);
  }
  return context.storage.planned.list(jobId);
}
