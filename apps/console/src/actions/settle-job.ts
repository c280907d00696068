import type { StoredJob } from '../ports/job-store.ts';
import type { Stores } from '../ports/storage.ts';
import { UNFINISHED } from '../queue/job-state.ts';
import type { ConsoleContext } from './context.ts';

/** Ends an unfinished job all of whose shards are done; `job` is changed accordingly. Part of the caller's transaction. */
export async function settleJob(context: Pick<ConsoleContext, 'clock'>, stores: Stores, job: StoredJob): Promise<void> {
  if (!UNFINISHED.includes(job.state)) return;
  const shards = await stores.shards.outlinesOf([job.jobId]);
  if (shards.some((shard) => shard.state !== 'done')) return;
  const failed = shards.some((shard) => shard.totals.objectsFailed > 0);
  job.state = failed ? 'completed-with-failures' : 'completed';
  job.finishedAtMs = context.clock.nowMs();
  await stores.jobs.save(job);
}
