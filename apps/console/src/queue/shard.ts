import type { CopyCounters, ProgressRequest, ShardWork } from '@weir/protocol';
import { compareKeys } from './byte-order.ts';
import { addCounters, addExactly, NO_COUNTERS } from './counters.ts';

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
 * the successor does the rest again and counts it then.
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
  /** Holdoffs under earlier leases, and in all. */
  baseHoldoffs: number;
  holdoffs: number;
}

/** What lists and sums need of a shard: all but its keys. */
export type ShardOutline = Omit<Shard, 'work' | 'base' | 'atCheckpoint' | 'splitAt' | 'baseHoldoffs'> & {
  kind: ShardWork['type'];
  /** Length of the key list; 0 for a range. */
  keyCount: number;
};

/** A queued shard on which nothing was done. */
export function newShard(shardId: string, jobId: string, position: number, work: ShardWork, splitInto: number): Shard {
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
    baseHoldoffs: 0,
    holdoffs: 0,
  };
}

/** Gives a queued shard to an agent. */
export function leaseShard(shard: Shard, leaseId: string, agentId: string): Shard {
  return {
    ...shard,
    state: 'leased',
    leaseId,
    agentId,
    // A range that was begun is not split any more: its first part is behind the checkpoint.
    splitInto: shard.checkpoint === null ? shard.splitInto : 0,
    splitAt: null,
    atCheckpoint: NO_COUNTERS,
  };
}

/** Takes a leased shard back unfinished. */
export function returnShard(shard: Shard): Shard {
  const base = addCounters(shard.base, shard.atCheckpoint);
  return {
    ...shard,
    state: 'queued',
    base,
    atCheckpoint: NO_COUNTERS,
    totals: base,
    baseHoldoffs: shard.holdoffs,
  };
}

/** Starts a shard anew, as if nothing had been done on it, but remembers that somebody held it. */
export function restartShard(shard: Shard): Shard {
  return {
    ...newShard(shard.shardId, shard.jobId, shard.position, shard.work, 0),
    leaseId: shard.leaseId,
    agentId: shard.agentId,
    holdoffs: shard.holdoffs,
    baseHoldoffs: shard.holdoffs,
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
    const ended = report.state === 'completed' ? 'done' : report.state === 'running' ? 'leased' : 'queued';
    return shard.state === ended ? { shard, repeated: true } : { refused: 'lease-lost' };
  }
  const { checkpoint } = report;
  if (checkpoint !== null && !covers(shard.work, checkpoint)) return { refused: 'checkpoint-outside' };
  // A report that was overtaken by a later one must not move the checkpoint back.
  const forward = checkpoint !== null && (shard.checkpoint === null || compareKeys(checkpoint, shard.checkpoint) >= 0);
  const reported: Shard = {
    ...shard,
    // Agents split before they report, so a split is not repeated any more.
    splitAt: null,
    checkpoint: forward ? checkpoint : shard.checkpoint,
    atCheckpoint: forward ? report.atCheckpoint : shard.atCheckpoint,
    totals: addCounters(shard.base, report.live),
    holdoffs: addExactly(shard.baseHoldoffs, report.holdoffCount),
  };
  if (report.state === 'running') return { shard: reported, repeated: false };
  if (report.state !== 'completed') return { shard: returnShard(reported), repeated: false };
  return { shard: { ...reported, state: 'done', base: reported.totals, atCheckpoint: NO_COUNTERS }, repeated: false };
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
export type Split = { kept: Shard; added: ShardWork[] } | { refused: 'lease-lost' | 'not-a-range' | 'not-ascending' };

/** Cuts the rest of a leased range at the boundaries; the holder keeps the first part. No boundary: the range stays whole. */
export function splitShard(shard: Shard, agentId: string, leaseId: string, boundaries: readonly string[]): Split {
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
  const added = boundaries.map((boundary, index): ShardWork => ({
    type: 'range',
    startAfter: boundary,
    endAt: boundaries[index + 1] ?? endAt,
  }));
  return { kept, added };
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
