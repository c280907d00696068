import { UNFINISHED } from '../queue/job-state.ts';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';
import { returnLeases } from './return-leases.ts';

/** Ends an unfinished job that cannot go on, and takes its shards back at their checkpoints. */
export async function failJob(
  context: ConsoleContext,
  jobId: string,
  error: { code: string; message: string },
): Promise<void> {
  await context.storage.transaction(async (stores) => {
    const job = await stores.jobs.get(jobId);
    if (job === undefined || !UNFINISHED.includes(job.state)) return;
    await stores.jobs.save({ ...job, state: 'failed', error, finishedAtMs: context.clock.nowMs() });
    await audit(context, stores, {
      actor: 'console',
      action: 'job.fail',
      subject: jobId,
      detail: { code: error.code },
    });
  });
  context.rates.forget(jobId);
  context.gauges.forget(jobId);
  await returnLeases(context, context.leases.held(jobId), 'job failed');
}
