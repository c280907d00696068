import type {
  Assignment,
  CopyCounters,
  CopyFailure,
  JobOptions,
  ManifestChain,
  PlannedObject,
  ShardTrouble,
  ShardWork,
} from '@weir/protocol';

/** What of an assignment whoever copies has to know; `work` is the first part of the range once it was split. */
export interface ShardTask {
  jobId: string;
  kind: Assignment['kind'];
  mode: Assignment['mode'];
  options: JobOptions;
  source: Assignment['source'];
  target: Assignment['target'];
  work: ShardWork;
  /** Continue after this key. */
  checkpoint: string | null;
  /** The manifest's chain at the checkpoint; null: it begins here. */
  manifest: ManifestChain | null;
  /** When the job began, in ms since 1970. */
  startedAtMs: number;
  /** An earlier run may have left unfinished multipart uploads of these keys at the target. */
  heldBefore: boolean;
}

/** How far a copy has come. Counters are of this run alone. */
export interface CopyProgress {
  /** Last key up to which everything is done, in order; null while there is none. */
  checkpoint: string | null;
  atCheckpoint: CopyCounters;
  live: CopyCounters;
  /** The manifest's chain at the checkpoint; null: none is kept. */
  manifest: ManifestChain | null;
  /** Everything in the range has been listed: `live.objectsListed` will not grow any more. */
  listed: boolean;
  /** Object bytes moved over the network, those of failed attempts included. */
  traffic: Traffic;
  /** Time in which something waited for credits, in ms. */
  waitedMs: number;
}

/** Object bytes read from sources and written to targets. */
export interface Traffic {
  bytesRead: number;
  bytesWritten: number;
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
  /** Why requests fail one after the other at the moment; null while they succeed. */
  trouble(): ShardTrouble | null;
  /** Last key that was begun; null before the first. */
  lastBegun(): string | null;
  /** Ends the range at a key, so that others can take the rest. False: it is too late for that, and nothing changes. */
  narrow(endAt: string): boolean;
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
  /** A dry run met an object. */
  onPlanned(object: PlannedObject): void;
}

/** Whoever speaks S3. */
export interface CopyEngine {
  /**
   * Keys that cut what is left of a task's range into about equal parts, none smaller than `minKeysPerPart`.
   * @returns at most `parts − 1` ascending keys inside the range; none when it is too small to be worth it. Otherwise why
   *   the range could not be looked at.
   */
  planBoundaries(task: ShardTask, parts: PlannedParts, listener: CopyListener, signal: AbortSignal): Promise<Plan>;
  /** Removes the unfinished uploads of a task's keys that an agent which is dead left at the target. */
  cleanUp(task: ShardTask, signal: AbortSignal): Promise<CopyEnd>;
  /** Starts to copy. `signal` ends it at once: what is under way is given up and unfinished uploads are removed. */
  copy(task: ShardTask, listener: CopyListener, signal: AbortSignal): CopyRun;
  /** Object bytes read and written since this was last called. */
  takeTransferredBytes(): { bytesRead: number; bytesWritten: number };
  close(): Promise<void>;
}

/** How a range is to be cut. */
export interface PlannedParts {
  /** Wanted at most. */
  parts: number;
  minKeysPerPart: number;
}

export type Plan = { type: 'planned'; boundaries: string[] } | Exclude<CopyEnd, { type: 'completed' }>;

export const NO_COUNTERS: CopyCounters = {
  objectsListed: 0,
  objectsCopied: 0,
  objectsSkipped: 0,
  objectsExcluded: 0,
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
    objectsExcluded: a.objectsExcluded + b.objectsExcluded,
    objectsFailed: a.objectsFailed + b.objectsFailed,
    bytesCopied: a.bytesCopied + b.bytesCopied,
    parkedMs: Math.round(a.parkedMs + b.parkedMs),
    retries: a.retries + b.retries,
  };
}

/** Progress of a copy that has not begun. */
export function noProgress(checkpoint: string | null, manifest: ManifestChain | null): CopyProgress {
  const traffic = { bytesRead: 0, bytesWritten: 0 };
  return { checkpoint, atCheckpoint: NO_COUNTERS, live: NO_COUNTERS, manifest, listed: false, traffic, waitedMs: 0 };
}
