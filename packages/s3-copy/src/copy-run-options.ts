import type { CopyFailure, Ticket } from './checkpoint.ts';
import type { CopyItem, CopyMode, CopySide, CopyTuning, PlannedAction } from './copy-plan.ts';
import type { CopyCounters } from './counters.ts';
import type { S3Error } from './errors.ts';
import type { CopyWarning, WarningCounts } from './learned.ts';
import type { ManifestEntry, ManifestState } from './manifest.ts';
import type { CallContext, CallTally, OperationGate, Traffic } from './gate.ts';

/** What runs over listings and over lists of keys have in common. */
export interface CopyRunOptions {
  source: CopySide;
  target: CopySide;
  mode: CopyMode;
  /** Asked before each request. Default: admits everything. */
  gate?: OperationGate;
  tuning?: Partial<CopyTuning>;
  /** See `CopyPlanOptions`. Default `auto`. */
  serverSideCopy?: 'auto' | 'always' | 'never';
  /** Hears once of each thing that copies cannot keep, such as tags at a target without them. */
  onWarning?: (warning: CopyWarning) => void;
  /** Objects under way at once, at most: 1 or more. Default 64. */
  concurrency?: number;
  /**
   * Fewer objects while servers throttle or their latency grows, see `AdaptiveLimit`; false: always `concurrency`.
   * Default true.
   */
  adaptive?: boolean;
  /** Object bytes in memory for those under way. Default 256 MiB. */
  maxBytesInFlight?: number;
  /**
   * Objects that may be done beyond an unfinished one. It bounds memory, and what a successor has to look at again.
   * Default 50,000.
   */
  maxAheadOfCheckpoint?: number;
  /** A throttle outlasted all retries. The run is paused now; call `resume()` when it may go on. */
  onThrottled: (error: S3Error) => void;
  /** An object that could not be copied; called when the checkpoint passes it, so never for work that a successor repeats. */
  onFailure?: (failure: CopyFailure) => void;
  /** The chain of an earlier run at `checkpoint`, to be continued. Default: one without entries. */
  manifest?: ManifestState;
  /**
   * Every object that is done, in the order of the listing, when the checkpoint passes it; not those that a filter left
   * out, and none in a dry run. `manifestLine` makes the text that `manifest` chains.
   */
  onEntry?: (entry: ManifestEntry) => void;
  /** Ask the target first whether it may be written to (one request, charged by no model of objects). Default false. */
  checkTarget?: boolean;
  /**
   * An earlier run of this work may have been killed: look for uploads that it left at the target (one request more).
   * Those of the objects that are copied now are continued where their parts are right, else aborted. Default false.
   */
  abortLeftUploads?: boolean;
  /**
   * An earlier run of this work began then (ms since 1970) and may have been killed: objects of the range that it had
   * copied behind the checkpoint are found by listing the target, count as copied, and are not copied again. Only in the
   * mode `copy-all`; costs one request for 1,000 objects. Where clocks of server and caller differ, some are copied again.
   */
  copiedSinceMs?: number;
  /**
   * List, check and count, but write nothing: `objectsCopied` and `bytesCopied` then say what would be copied. Costs the
   * requests of listing and checking only. Default false.
   */
  dryRun?: boolean;
  /** Dry run only: each object with what would be done to it, as soon as it is decided; with `checkBy: 'head'` not in order. */
  onPlanned?: (item: CopyItem, action: PlannedAction) => void;
  /** Abandons the run. */
  signal?: AbortSignal;
}

/** How far a run is. */
export interface CopySnapshot {
  /** Last key in order up to which everything is done; what the run began with while nothing is. */
  checkpoint: string | null;
  atCheckpoint: CopyCounters;
  /** Chain over all objects up to the checkpoint; belongs to it, and is stored with it. */
  manifest: ManifestState;
  live: CopyCounters;
  traffic: Traffic;
  /** Copies that lack something of their source, by what it is; none: empty. */
  warnings: WarningCounts;
  /** Objects under way. */
  inFlight: number;
  /** Objects that may be under way at present: 1 to `concurrency`. */
  concurrency: number;
  paused: boolean;
  /** Every object of the work has begun: `live.objectsListed` will not grow any more. */
  listed: boolean;
  /** Last key that was begun; null before the first. */
  lastBegun: string | null;
}

/** How a run ended. */
export interface CopyResult {
  state: 'completed' | 'released' | 'abandoned' | 'failed';
  /**
   * Why it failed; null otherwise. `retryable`: an endpoint does not answer, and the run may be tried again later.
   * Otherwise (bucket gone, access denied, credentials expired, target full) somebody has to do something first.
   */
  error: S3Error | null;
  snapshot: CopySnapshot;
}

/** An item of the work, in order. */
export interface WorkItem extends CopyItem {
  /** false: the key's bytes are no valid UTF-8, and the object cannot be asked for. */
  keyIsExact: boolean;
}

/** Where the work comes from; pages of items in order. `call` is for its requests. */
export type WorkSource = (call: CallContext, absorb: Absorb) => AsyncIterable<readonly WorkItem[]>;
/** Runs a request of the work source again after the pause, when it was throttled. */
export type Absorb = <T>(run: () => Promise<T>) => Promise<T>;

/** An object from its beginning to its end. */
export interface UnderWay {
  readonly item: WorkItem;
  readonly ticket: Ticket;
  readonly tally: CallTally;
  /** Whether its charge was taken; it is taken once, however often the object begins anew. */
  readonly charge: { taken: boolean };
  /** Its first failure that might have been the endpoint's fault; null before one. */
  suspicion: { error: S3Error; fault: 'transport' | 'access' } | null;
}
