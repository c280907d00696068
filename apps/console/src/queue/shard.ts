import type { CopyCounters, ManifestChain, ProgressRequest, ShardWork } from '@weir/protocol';
import { compareKeys } from './byte-order.ts';
import { addCounters, addExactly, highestCounters, NO_COUNTERS } from './counters.ts';

/*
 * A shard and its lease:
 *
 *   queued ──lease──▶ leased ──completed──▶ done
 *      ▲                 │
 *      └──── return ─────┘   (released or failed by its agent, lapsed, agent revoked)
 *
 * A lease is fenced by its id: reports with another id are refused, so of two agents that believe they hold a shard only
 * one is heard. `leaseId` stays after the lease ended, so that the holder's last report can be repeated when its answer
 * was lost. A shard that goes back keeps its checkpoint, and of its counters what had been done at the checkpoint:
 * the successor does the rest again and counts it then. What is shown does not fall meanwhile: `seen` keeps the highest.
 *
 * A shard whose holder died may have unfinished uploads at the target: it is `dirty` until somebody has looked. Whoever
 * copies it next looks; when its job was cancelled, it is leased once more just to be cleaned up:
 *
 *   queued, dirty ──lease for clean-up──▶ leased ──any end──▶ queued, clean   (lapsed or released: still dirty)
 */

/** Part of a copy job that one agent works on at a time. */
export interface Shard {
  shardId: string;
  jobId: string;
  /** Order within the job. */
  position: number;
  work: ShardWork;
  state: 'queued' | 'leased' | 'done';
  /** The lease that holds the shard, or held it last. */
  leaseId: string | null;
  /** Agent of that lease. */
  agentId: string | null;
  /** Last key up to which everything is done, in order. */
  checkpoint: string | null;
  /** Parts that its next holder should split it into first; 0: none. */
  splitInto: number;
  /** Boundaries of the split made under the current lease, so that it can be repeated. */
  splitAt: string[] | null;
  /** Done by earlier leases, up to the checkpoint. */
  base: CopyCounters;
  /** Done by the current lease, up to the checkpoint. */
  atCheckpoint: CopyCounters;
  /** Done in all: earlier leases and the current one. */
  totals: CopyCounters;
  /** Highest counters that were ever reported, those beyond a checkpoint included. */
  seen: CopyCounters;
  /** Share of all key ranges of the job that this one was taken for when it was made, 0–1; 0 for a list of keys. */
  weight: number;
  /** Its listing has reached the end of the range. */
  listed: boolean;
  /** Its holder died, or may have: unfinished uploads may be left at the target. */
  dirty: boolean;
  /** What the current lease is for. */
  leaseKind: 'copy' | 'clean-up';
  /** The manifest's chain at the checkpoint. */
  manifest: ManifestChain | null;
  /** Time under leases in ms, and how much of it something waited for credits: earlier leases, and in all. */
  baseHeldMs: number;
  heldMs: number;
  baseWaitedMs: number;
  waitedMs: number;
  /** Holdoffs under earlier leases, and in all. */
  baseHoldoffs: number;
  holdoffs: number;
}

/** What lists and sums need of a shard: all but its keys. */
export type ShardOutline = Omit<
  Shard,
  | 'work'
  | 'base'
  | 'atCheckpoint'
  | 'splitAt'
  | 'baseHoldoffs'
  | 'baseHeldMs'
  | 'baseWaitedMs'
  | 'manifest'
  | 'leaseKind'
> & {
  kind: ShardWork['type'];
  /** Length of the key list; 0 for a range. */
  keyCount: number;
};

/** A queued shard on which nothing was done. `weight`: its share of the job's key ranges. */
export function newShard(
  shardId: string,
  jobId: string,
  position: number,
  work: ShardWork,
  { splitInto = 0, weight = 0 }: { splitInto?: number; weight?: number } = {},
): Shard {
  return {
    shardId,
    jobId,
    position,
    work,
    state: 'queued',
    leaseId: null,
    agentId: null,
    checkpoint: null,
    splitInto,
    splitAt: null,
    base: NO_COUNTERS,
    atCheckpoint: NO_COUNTERS,
    totals: NO_COUNTERS,
    seen: NO_COUNTERS,
    weight,
    // A list is known as soon as it is made.
    listed: work.type === 'keys',
    dirty: false,
    leaseKind: 'copy',
    manifest: null,
    baseHeldMs: 0,
    heldMs: 0,
    baseWaitedMs: 0,
    waitedMs: 0,
    baseHoldoffs: 0,
    holdoffs: 0,
  };
}

/** Gives a queued shard to an agent, to copy it or to clean up after its last holder. */
export function leaseShard(
  shard: Shard,
  leaseId: string,
  agentId: string,
  leaseKind: Shard['leaseKind'] = 'copy',
): Shard {
  return {
    ...shard,
    state: 'leased',
    leaseId,
    agentId,
    leaseKind,
    // A range that was begun is not split any more: its first part is behind the checkpoint.
    splitInto: shard.checkpoint === null ? shard.splitInto : 0,
    splitAt: null,
    atCheckpoint: NO_COUNTERS,
  };
}

/** Takes a leased shard back unfinished. `dirty`: its holder did not say so itself, so it may not have cleaned up. */
export function returnShard(shard: Shard, dirty: boolean): Shard {
  const base = addCounters(shard.base, shard.atCheckpoint);
  return {
    ...shard,
    state: 'queued',
    base,
    atCheckpoint: NO_COUNTERS,
    totals: base,
    listed: shard.work.type === 'keys',
    dirty: shard.dirty || dirty,
    baseHeldMs: shard.heldMs,
    baseWaitedMs: shard.waitedMs,
    baseHoldoffs: shard.holdoffs,
  };
}

/** Starts a shard anew, as if nothing had been done on it, but remembers that somebody held it. */
export function restartShard(shard: Shard): Shard {
  const { leaseId, agentId, holdoffs, heldMs, waitedMs, dirty, weight } = shard;
  return {
    ...newShard(shard.shardId, shard.jobId, shard.position, shard.work, { weight }),
    leaseId,
    agentId,
    dirty,
    baseHeldMs: heldMs,
    heldMs,
    baseWaitedMs: waitedMs,
    waitedMs,
    holdoffs,
    baseHoldoffs: holdoffs,
  };
}

/**
 * Whether its objects may have been tried before, so that uploads of theirs may be left at the target. Lists of keys are
 * made of objects that failed, whoever held the range that they come from.
 */
export function triedBefore(shard: Shard): boolean {
  return shard.leaseId !== null || shard.work.type === 'keys';
}

/** What became of a report: the shard after it, `repeated` when it had been heard before, or why it is refused. */
export type Reported = { shard: Shard; repeated: boolean } | { refused: 'lease-lost' | 'checkpoint-outside' };

/** Takes a progress report of the agent that holds the shard under `report.leaseId`. */
export function reportProgress(shard: Shard, agentId: string, report: ProgressRequest): Reported {
  if (shard.leaseId !== report.leaseId || shard.agentId !== agentId) return { refused: 'lease-lost' };
  if (shard.state !== 'leased') {
    const done = report.state === 'completed' && shard.leaseKind === 'copy';
    const ended = done ? 'done' : report.state === 'running' ? 'leased' : 'queued';
    return shard.state === ended ? { shard, repeated: true } : { refused: 'lease-lost' };
  }
  if (shard.leaseKind === 'clean-up') return { shard: cleanedUp(shard, report), repeated: false };
  const { checkpoint } = report;
  if (checkpoint !== null && !covers(shard.work, checkpoint)) return { refused: 'checkpoint-outside' };
  // A report that was overtaken by a later one must not move the checkpoint back.
  const forward = checkpoint !== null && (shard.checkpoint === null || compareKeys(checkpoint, shard.checkpoint) >= 0);
  const totals = addCounters(shard.base, report.live);
  const reported: Shard = {
    ...shard,
    checkpoint: forward ? checkpoint : shard.checkpoint,
    atCheckpoint: forward ? report.atCheckpoint : shard.atCheckpoint,
    manifest: forward || report.state === 'completed' ? report.manifest : shard.manifest,
    totals,
    seen: highestCounters(shard.seen, totals),
    listed: shard.listed || report.listed,
    heldMs: addExactly(shard.baseHeldMs, report.heldMs),
    waitedMs: addExactly(shard.baseWaitedMs, Math.min(report.waitedMs, report.heldMs)),
    holdoffs: addExactly(shard.baseHoldoffs, report.holdoffCount),
  };
  if (report.state === 'running') return { shard: reported, repeated: false };
  // Its holder cleaned up before it said so.
  if (report.state !== 'completed')
    return { shard: { ...returnShard(reported, false), dirty: false }, repeated: false };
  const done = { state: 'done', listed: true, dirty: false, base: totals, atCheckpoint: NO_COUNTERS } as const;
  return { shard: { ...reported, ...done }, repeated: false };
}

/** Takes a report about a clean-up. One that cannot be done is not tried for ever: its agent has tried for long enough. */
function cleanedUp(shard: Shard, report: ProgressRequest): Shard {
  if (report.state === 'running') return shard;
  return { ...returnShard(shard, false), dirty: report.state === 'released' };
}

/** Whether a key lies in the range, or a checkpoint is one of the listed keys. */
function covers(work: ShardWork, key: string): boolean {
  if (work.type === 'keys') return work.keys.includes(key);
  return (
    (work.startAfter === null || compareKeys(key, work.startAfter) > 0) &&
    (work.endAt === null || compareKeys(key, work.endAt) <= 0)
  );
}

/** Result of a split: the shard that the reporter keeps and the works of the new ones, or why it is refused. */
export type Split =
  | { kept: Shard; added: { work: ShardWork; weight: number }[] }
  | { refused: 'lease-lost' | 'not-a-range' | 'not-ascending' };

/**
 * Cuts the rest of a leased range at the boundaries; the holder keeps the first part. No boundary: the range stays whole.
 * The same boundaries again are the same split, so that it can be repeated when its answer was lost.
 * `doneShare`: part of the range that is taken to be done, 0–1; the rest counts equally for all parts.
 */
export function splitShard(
  shard: Shard,
  agentId: string,
  leaseId: string,
  boundaries: readonly string[],
  doneShare: number = 0,
): Split {
  if (shard.state !== 'leased' || shard.leaseId !== leaseId || shard.agentId !== agentId)
    return { refused: 'lease-lost' };
  if (shard.splitAt !== null && sameKeys(shard.splitAt, boundaries)) return { kept: shard, added: [] };
  if (shard.work.type !== 'range') return { refused: 'not-a-range' };
  const { startAfter, endAt } = shard.work;
  let previous = shard.checkpoint ?? startAfter;
  for (const boundary of boundaries) {
    if (previous !== null && compareKeys(boundary, previous) <= 0) return { refused: 'not-ascending' };
    if (endAt !== null && compareKeys(boundary, endAt) >= 0) return { refused: 'not-ascending' };
    previous = boundary;
  }
  const first = boundaries[0];
  const kept: Shard = { ...shard, splitInto: 0, splitAt: [...boundaries] };
  if (first === undefined) return { kept, added: [] };
  kept.work = { type: 'range', startAfter, endAt: first };
  const part = (shard.weight * (1 - doneShare)) / (boundaries.length + 1);
  kept.weight = shard.weight * doneShare + part;
  const added = boundaries.map((boundary, index) => ({
    work: { type: 'range', startAfter: boundary, endAt: boundaries[index + 1] ?? endAt } as const,
    weight: part,
  }));
  return { kept, added };
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
