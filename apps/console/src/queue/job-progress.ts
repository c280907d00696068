import type { CopyCounters } from '@weir/protocol';
import { addCounters, addExactly, NO_COUNTERS, objectsDone } from './counters.ts';
import type { ShardOutline } from './shard.ts';

/** What the shards of a job say about it. */
export interface JobProgress {
  counters: CopyCounters;
  shardsDone: number;
  shardsRunning: number;
  shardsTotal: number;
  /** 0–100, 100 only when every shard is done; null while nothing can be said. */
  percent: number | null;
  /** Objects that are probably left; null while unknown. */
  objectsLeft: number | null;
  holdoffs: number;
}

/** A range that is not done never counts as more than this share of a range: its end is not known. */
const UNFINISHED_RANGE_AT_MOST = 0.95;

/**
 * Progress of a job from its shards. A done range counts 1; an unfinished one by comparison with the average done range,
 * at most 0.95; a list of keys by its length, weighed against an average range. An estimate, then; but it reaches 100 only
 * when everything is done, and cannot pass it after a retry.
 */
export function jobProgress(shards: readonly ShardOutline[]): JobProgress {
  let counters = NO_COUNTERS;
  let holdoffs = 0;
  let doneRanges = 0;
  let doneRangeObjects = 0;
  for (const shard of shards) {
    counters = addCounters(counters, shard.totals);
    holdoffs = addExactly(holdoffs, shard.holdoffs);
    if (shard.state === 'done' && shard.kind === 'range') {
      doneRanges += 1;
      doneRangeObjects += objectsDone(shard.totals);
    }
  }
  const shardsDone = shards.filter((shard) => shard.state === 'done').length;
  const averageRange = doneRanges === 0 ? null : doneRangeObjects / doneRanges;
  return {
    counters,
    holdoffs,
    shardsDone,
    shardsRunning: shards.filter((shard) => shard.state === 'leased').length,
    shardsTotal: shards.length,
    ...share(shards, averageRange, shardsDone),
  };
}

function share(
  shards: readonly ShardOutline[],
  averageRange: number | null,
  shardsDone: number,
): Pick<JobProgress, 'percent' | 'objectsLeft'> {
  if (shards.length > 0 && shardsDone === shards.length) return { percent: 100, objectsLeft: 0 };
  if (averageRange === null) return { percent: null, objectsLeft: null };
  // Empty ranges say nothing about the size of the others; one object keeps the weights finite.
  const rangeObjects = Math.max(1, averageRange);
  let done = 0;
  let all = 0;
  for (const shard of shards) {
    const objects = objectsDone(shard.totals);
    const whole = shard.kind === 'keys' ? shard.keyCount : rangeObjects;
    const atMost = shard.kind === 'keys' ? whole : whole * UNFINISHED_RANGE_AT_MOST;
    all += whole;
    done += shard.state === 'done' ? whole : Math.min(objects, atMost);
  }
  const percent = Math.min(99.9, (done / all) * 100);
  return { percent, objectsLeft: Math.max(0, Math.ceil(all - done)) };
}
