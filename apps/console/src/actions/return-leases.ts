import type { WatchedLease } from '../fleet/lease-watch.ts';
import { returnShard } from '../queue/shard.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Puts shards back into the queue at their checkpoints and fences their leases off. `dirty`: their agents may be dead, so
 * unfinished uploads may be left at the target until somebody looks. A lease that ended meanwhile is left
 * alone. Returns how many went back.
 */
export async function returnLeases(
  context: ConsoleContext,
  leases: readonly WatchedLease[],
  reason: string,
  { dirty = true }: { dirty?: boolean } = {},
): Promise<number> {
  if (leases.length === 0) return 0;
  const returned = await context.storage.transaction(async (stores) => {
    let count = 0;
    for (const { shardId, leaseId } of leases) {
      const shard = await stores.shards.get(shardId);
      if (shard?.state !== 'leased' || shard.leaseId !== leaseId) continue;
      await stores.shards.save(returnShard(shard, dirty));
      // Objects behind the checkpoint will be tried again, so what failed there is not known any more.
      await stores.failures.forget(shardId, shard.checkpoint);
      count += 1;
    }
    return count;
  });
  for (const lease of leases) context.leases.end(lease.leaseId);
  if (returned > 0) {
    context.log.info({ reason, shards: returned, agentId: leases[0]?.agentId }, 'shards went back to the queue');
    context.desk.workAppeared();
  }
  return returned;
}
