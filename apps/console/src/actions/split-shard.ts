import { MAX_SHARDS_PER_JOB, type ShardWork } from '@weir/protocol';
import { doneShareOf } from '../queue/job-progress.ts';
import { newShard, splitShard } from '../queue/shard.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { leaseLost } from './report-progress.ts';

/**
 * Cuts a shard into key ranges: the reporter keeps the first, the others are queued for anybody.
 * @throws ConsoleError not-found, lease-lost, validation-failed
 */
export async function splitWork(
  context: ConsoleContext,
  agentId: string,
  shardId: string,
  request: { leaseId: string; boundaries: string[] },
): Promise<ShardWork> {
  const work = await context.storage.transaction(async (stores) => {
    const shard = await stores.shards.get(shardId);
    if (shard === undefined) throw new ConsoleError('not-found', `There is no shard ${shardId}.`);
    const siblings = await stores.shards.outlinesOf([shard.jobId]);
    const outline = siblings.find((sibling) => sibling.shardId === shardId);
    const doneShare = outline === undefined ? 0 : doneShareOf(outline, siblings);
    const split = splitShard(shard, agentId, request.leaseId, request.boundaries, doneShare);
    if ('refused' in split) throw split.refused === 'lease-lost' ? leaseLost(shardId) : refusal(split.refused);
    if (siblings.length + split.added.length > MAX_SHARDS_PER_JOB) throw refusal('too-many');
    const last = Math.max(...siblings.map((sibling) => sibling.position));
    await stores.shards.save(split.kept);
    await stores.shards.insert(
      split.added.map(({ work, weight }, index) => {
        return newShard(context.random.id('shd'), shard.jobId, last + 1 + index, work, { weight });
      }),
    );
    return split.kept.work;
  });
  const steadyMs = context.clock.steadyMs();
  context.leases.heard(request.leaseId, steadyMs);
  context.leases.wasSplit(request.leaseId, steadyMs);
  context.desk.workAppeared();
  return work;
}

const PROBLEMS = {
  'not-a-range': 'this shard is a list of keys, which is not split',
  'not-ascending': 'must ascend in UTF-8 byte order, behind the start and checkpoint of the range and before its end',
  'too-many': `a job has at most ${MAX_SHARDS_PER_JOB} shards: send fewer boundaries`,
};

function refusal(reason: keyof typeof PROBLEMS): ConsoleError {
  const problem = PROBLEMS[reason];
  return new ConsoleError('validation-failed', `The shard cannot be split so: boundaries ${problem}.`, {
    fields: [{ field: 'boundaries', problem }],
  });
}
