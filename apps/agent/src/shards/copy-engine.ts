import type { Assignment, CopyCounters, CopyFailure, ShardWork } from '@weir/protocol';

/** What of an assignment whoever copies has to know; `work` is the first part of the range once it was split. */
export interface ShardTask {
  jobId: string;
  mode: Assignment['mode'];
  source: Assignment['source'];
  target: Assignment['target'];
  work: ShardWork;
  /** Continue after this key. */
  checkpoint: string | null;
  /** An earlier run may have left unfinished multipart uploads of these keys at the target. */
  heldBefore: boolean;
}

/** How far a copy has come. Counters are of this run alone. */
export interface CopyProgress {
  /** Last key up to which everything is done, in order; null while there is none. */
  checkpoint: string | null;
  atCheckpoint: CopyCounters;
  live: CopyCounters;
}

/** Why a copy cannot go on now. */
export interface CopyTrouble {
  /** Name of the reason, at most 64 characters. */
  code: string;
  message: string;
}

export type CopyEnd =
  | { type: 'completed' }
  /** Told to stop; everything up to the checkpoint is done and nothing is under way. */
  | { type: 'stopped' }
  /** Credentials, bucket or permissions: no retry of this agent or another one can help. */
  | { type: 'hopeless'; trouble: CopyTrouble }
  /** Network, an overloaded or broken server: may work again later, from the checkpoint. */
  | { type: 'interrupted'; trouble: CopyTrouble };

/** One copy under way. */
export interface CopyRun {
  progress(): CopyProgress;
  /** Never rejects. */
  readonly ended: Promise<CopyEnd>;
  /** Sends nothing new until `resume`. */
  pause(): void;
  resume(): void;
  /** Begins nothing new, lets what is nearly done finish, and ends as `stopped`. */
  release(): void;
}

export interface CopyListener {
  onFailure(failure: CopyFailure): void;
  /** The server asked to slow down and retries did not absorb it. What was running is paused; `resume` lets it go on. */
  onThrottled(trouble: CopyTrouble): void;
}

/** Whoever speaks S3. */
export interface CopyEngine {
  /**
   * Keys that cut the range of a task into about equal parts.
   * @returns at most `parts − 1` ascending keys inside the range; none when it is too small to be worth it. Otherwise why
   *   the range could not be looked at.
   */
  planBoundaries(task: ShardTask, parts: number, listener: CopyListener, signal: AbortSignal): Promise<Plan>;
  /** Starts to copy. `signal` ends it at once: what is under way is given up and unfinished uploads are removed. */
  copy(task: ShardTask, listener: CopyListener, signal: AbortSignal): CopyRun;
  /** Object bytes read and written since this was last called. */
  takeTransferredBytes(): { bytesRead: number; bytesWritten: number };
  close(): Promise<void>;
}

export type Plan = { type: 'planned'; boundaries: string[] } | Exclude<CopyEnd, { type: 'completed' }>;

export const NO_COUNTERS: CopyCounters = {
  objectsListed: 0,
  objectsCopied: 0,
  objectsSkipped: 0,
  objectsFailed: 0,
  bytesCopied: 0,
  parkedMs: 0,
  retries: 0,
};

/** Sum of counters; rounded, since the wire carries whole milliseconds. */
export function addCounters(a: CopyCounters, b: CopyCounters): CopyCounters {
  return {
    objectsListed: a.objectsListed + b.objectsListed,
    objectsCopied: a.objectsCopied + b.objectsCopied,
    objectsSkipped: a.objectsSkipped + b.objectsSkipped,
    objectsFailed: a.objectsFailed + b.objectsFailed,
    bytesCopied: a.bytesCopied + b.bytesCopied,
    parkedMs: Math.round(a.parkedMs + b.parkedMs),
    retries: a.retries + b.retries,
  };
}
