import type { CopyCounters } from '@weir/protocol';
import { addCounters, addExactly, highestCounters, NO_COUNTERS, objectsDone } from './counters.ts';
import type { ShardOutline } from './shard.ts';

/** What the shards of a job say about it. */
export interface JobProgress {
  /** Sums that do not fall while the job runs. */
  counters: CopyCounters;
  shardsDone: number;
  shardsRunning: number;
  shardsTotal: number;
  /** Objects of the job, once every range has been listed to its end; null before. */
  objectsTotal: number | null;
  /** 0–100, 100 only when every shard is done; null while nothing can be said. */
  percent: number | null;
  /** Objects that are probably left; null while unknown. */
  objectsLeft: number | null;
  /** Time under leases, and how much of it something waited for credits, in ms. */
  heldMs: number;
  waitedMs: number;
  holdoffs: number;
}

/** A range that is not done never counts as more than this share of a range: its end is not known. */
const UNFINISHED_RANGE_AT_MOST = 0.95;

/**
 * Progress of a job from its shards. Once all are listed it is exact. Before, a done range counts its weight; an unfinished
 * one by comparison with the density of the done ones, at most 0.95 of its weight; a list of keys by its length. An
 * estimate, then; but it reaches 100 only when everything is done, and cannot pass it after a retry.
 */
export function jobProgress(shards: readonly ShardOutline[]): JobProgress {
  let counters = NO_COUNTERS;
  let [holdoffs, heldMs, waitedMs] = [0, 0, 0];
  for (const shard of shards) {
    counters = addCounters(counters, shownCounters(shard));
    holdoffs = addExactly(holdoffs, shard.holdoffs);
    heldMs = addExactly(heldMs, shard.heldMs);
    waitedMs = addExactly(waitedMs, shard.waitedMs);
  }
  const shardsDone = shards.filter((shard) => shard.state === 'done').length;
  const objectsTotal = shards.length > 0 && shards.every((shard) => shard.listed) ? totalOf(shards) : null;
  return {
    counters,
    holdoffs,
    heldMs,
    waitedMs,
    shardsDone,
    shardsRunning: shards.filter((shard) => shard.state === 'leased').length,
    shardsTotal: shards.length,
    objectsTotal,
    ...share(shards, objectsTotal, shardsDone),
  };
}

/**
 * Counters of a shard as they are shown. What a dead agent had done beyond its checkpoint is done again, and is still
 * shown meanwhile, so that no figure falls; a shard that is done tells what it really counted.
 */
function shownCounters(shard: ShardOutline): CopyCounters {
  if (shard.state === 'done') return shard.totals;
  // What failed beyond a checkpoint is tried again, so it is not known to have failed any more.
  return { ...highestCounters(shard.totals, shard.seen), objectsFailed: shard.totals.objectsFailed };
}

function totalOf(shards: readonly ShardOutline[]): number {
  return shards.reduce((sum, shard) => {
    const { objectsListed } = shownCounters(shard);
    return addExactly(sum, shard.kind === 'keys' ? Math.max(shard.keyCount, objectsListed) : objectsListed);
  }, 0);
}

/** Objects per whole job, as the done ranges show; null while none is done. */
function densityOf(shards: readonly ShardOutline[]): number | null {
  let [weight, objects] = [0, 0];
  for (const shard of shards) {
    if (shard.state !== 'done' || shard.kind !== 'range') continue;
    weight += shard.weight;
    objects += objectsDone(shard.totals);
  }
  // Empty ranges say nothing about the size of the others; one object keeps the weights finite.
  return weight <= 0 ? null : Math.max(1, objects) / weight;
}

/**
 * Share of a range that is taken to be done, 0–0.95, for a split; half, while nothing shows how large ranges are.
 */
export function doneShareOf(shard: ShardOutline, shards: readonly ShardOutline[]): number {
  const density = densityOf(shards);
  if (shard.kind !== 'range' || shard.weight <= 0) return 0;
  if (density === null) return objectsDone(shard.totals) === 0 ? 0 : 0.5;
  return Math.min(UNFINISHED_RANGE_AT_MOST, objectsDone(shard.totals) / (shard.weight * density));
}

function share(
  shards: readonly ShardOutline[],
  objectsTotal: number | null,
  shardsDone: number,
): Pick<JobProgress, 'percent' | 'objectsLeft'> {
  if (shards.length > 0 && shardsDone === shards.length) return { percent: 100, objectsLeft: 0 };
  if (objectsTotal !== null) {
    const done = shards.reduce((sum, shard) => addExactly(sum, objectsDone(shownCounters(shard))), 0);
    const percent = Math.min(99.9, objectsTotal === 0 ? 0 : (done / objectsTotal) * 100);
    return { percent, objectsLeft: Math.max(0, objectsTotal - done) };
  }
  const density = densityOf(shards);
  if (density === null) return { percent: null, objectsLeft: null };
  let done = 0;
  let all = 0;
  for (const shard of shards) {
    const objects = objectsDone(shownCounters(shard));
    const whole = shard.kind === 'keys' ? shard.keyCount : shard.weight * density;
    const atMost = shard.kind === 'keys' ? whole : whole * UNFINISHED_RANGE_AT_MOST;
    all += whole;
    done += shard.state === 'done' ? whole : Math.min(objects, atMost);
  }
  const percent = Math.min(99.9, all === 0 ? 0 : (done / all) * 100);
  return { percent, objectsLeft: Math.max(0, Math.ceil(all - done)) };
}
