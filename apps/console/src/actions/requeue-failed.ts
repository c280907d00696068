import type { Stores } from '../ports/storage.ts';
import type { CopyCounters } from '@weir/protocol';
import { newShard, restartShard, type Shard } from '../queue/shard.ts';
import type { ConsoleContext } from './context.ts';

/** Keys in one `keys` shard at most: the bound of the wire. */
const KEYS_PER_SHARD = 1_000;

/**
 * Prepares the shards of an ended job for another run. Ranges that were not finished go on from their checkpoints; failed
 * objects leave the shards that counted them and become new shards of listed keys, so that nothing is counted twice.
 * A shard that had more failures than were kept is done anew as a whole, because nobody knows which keys they were.
 * Part of the caller's transaction.
 */
export async function requeueFailed(context: ConsoleContext, stores: Stores, jobId: string): Promise<void> {
  const outlines = await stores.shards.outlinesOf([jobId]);
  const failedKeys: string[] = [];
  for (const outline of outlines) {
    if (outline.totals.objectsFailed === 0 || outline.state === 'leased') continue;
    const shard = await stores.shards.get(outline.shardId);
    if (shard === undefined) continue;
    const keys = await stores.failures.keysOf(shard.shardId);
    await stores.failures.forget(shard.shardId, null);
    const lost = outline.totals.objectsFailed > keys.length;
    await stores.shards.save(lost ? restartShard(shard) : without(shard, keys.length));
    if (!lost) failedKeys.push(...keys);
  }
  failedKeys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const first = Math.max(0, ...outlines.map((outline) => outline.position)) + 1;
  const shards: Shard[] = [];
  for (let from = 0; from < failedKeys.length; from += KEYS_PER_SHARD) {
    const keys = failedKeys.slice(from, from + KEYS_PER_SHARD);
    shards.push(newShard(context.random.id('shd'), jobId, first + shards.length, { type: 'keys', keys }));
  }
  await stores.shards.insert(shards);
}

/** The shard without failed objects that another one will list and count. */
function without(shard: Shard, failed: number): Shard {
  const less = (counters: CopyCounters): CopyCounters => ({
    ...counters,
    objectsListed: Math.max(0, counters.objectsListed - failed),
    objectsFailed: Math.max(0, counters.objectsFailed - failed),
  });
  const totals = less(shard.totals);
  return { ...shard, base: less(shard.base), totals, seen: totals };
}
