import { isEnded } from '../queue/job-state.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Removes an ended job with everything that is kept of it; what it copied stays at the target. Not while agents still hold
 * parts of it or have to clean up after others: nobody would know of those uploads any more.
 * @throws ConsoleError not-found, wrong-state
 */
export async function deleteJob(context: ConsoleContext, jobId: string, actor: string): Promise<void> {
  await context.storage.transaction(async (stores) => {
    const job = await stores.jobs.get(jobId);
    if (job === undefined) throw new ConsoleError('not-found', `There is no job ${jobId}.`);
    if (!isEnded(job.state)) {
      throw new ConsoleError('wrong-state', `The job ${job.name} is ${job.state}: cancel it before it is deleted.`);
    }
    const shards = await stores.shards.outlinesOf([jobId]);
    if (shards.some((shard) => shard.state === 'leased')) {
      throw new ConsoleError('wrong-state', `Agents still stop working on the job ${job.name}: try again in a minute.`);
    }
    if (shards.some((shard) => shard.dirty)) {
      throw new ConsoleError(
        'wrong-state',
        `An agent has yet to remove what others left unfinished at the target of ${job.name}: start one, or try later.`,
      );
    }
    await stores.jobs.delete(jobId);
    await audit(context, stores, { actor, action: 'job.delete', subject: jobId, detail: { name: job.name } });
  });
}
