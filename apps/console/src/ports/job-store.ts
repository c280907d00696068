import type { CopyFailure, CopyMode, JobOptions, JobState, PlannedObject } from '@weir/protocol';
import type { Shard, ShardOutline } from '../queue/shard.ts';

/** One side of a job. The endpoint's name is kept too, so that history reads well after the endpoint was removed. */
export interface JobSide {
  endpointId: string;
  endpointName: string;
  bucket: string;
  prefix: string;
}

/** A copy job as it is kept; what it did is the sum of its shards. */
export interface StoredJob {
  jobId: string;
  name: string;
  source: JobSide;
  target: JobSide;
  mode: CopyMode;
  options: JobOptions;
  /** Oldest version of the wire whose agents do all that the options ask for. */
  needsVersion: number;
  state: JobState;
  error: { code: string; message: string } | null;
  createdBy: string;
  createdAtMs: number;
  startedAtMs: number | null;
  finishedAtMs: number | null;
}

/** Copy jobs in the order in which they were created. */
export interface JobStore {
  insert(job: StoredJob): Promise<void>;
  get(jobId: string): Promise<StoredJob | undefined>;
  save(job: StoredJob): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<StoredJob[]>;
  /** Unfinished jobs that read from or write to this endpoint. */
  countUnfinishedUsing(endpointId: string): Promise<number>;
  /** Removes a job with everything that is kept of it. */
  delete(jobId: string): Promise<void>;
  /**
   * Removes jobs that ended before a moment, the oldest first, at most `batch`; returns how many went. Not while agents hold
   * parts of one or have to clean up after others.
   */
  prune(endedBeforeMs: number, batch: number): Promise<number>;
  /** Number of jobs per state; absent: none. */
  countByState(): Promise<Map<JobState, number>>;
}

/** Shards of jobs. */
export interface ShardStore {
  insert(shards: readonly Shard[]): Promise<void>;
  get(shardId: string): Promise<Shard | undefined>;
  /** Writes back everything but the key list of a `keys` shard, which never changes. */
  save(shard: Shard): Promise<void>;
  /**
   * First queued shard of the unfinished job of which agents hold the fewest shards, of the oldest among equals: a job
   * that was begun later does not wait until a huge one ends. Only of jobs that an agent of this version of the wire
   * can do; absent: of all.
   */
  nextQueued(protocolVersion?: number): Promise<Shard | undefined>;
  /** A queued shard of a cancelled or failed job whose holder may have left uploads at the target. */
  nextDirty(): Promise<Shard | undefined>;
  /** Number of shards of a job. */
  countOf(jobId: string): Promise<number>;
  /** Shards of a job in order, whole. */
  allOf(jobId: string): Promise<Shard[]>;
  /** Shards of these jobs, without key lists, in order. */
  outlinesOf(jobIds: readonly string[]): Promise<ShardOutline[]>;
  /** Shards that agents hold now. */
  leased(): Promise<ShardOutline[]>;
  leasedBy(agentId: string): Promise<ShardOutline[]>;
}

/** Objects that could not be copied; at most MAX_FAILURES_PER_JOB are kept for a job. */
export interface FailureStore {
  /** Adds or replaces by key; those beyond the bound are dropped (they stay in the counters). */
  record(jobId: string, shardId: string, failures: readonly CopyFailure[]): Promise<void>;
  /** Forgets the failures of jobs that ended before a moment, and what their dry runs met, at most `batch` of each; returns how many went. */
  prune(endedBeforeMs: number, batch: number): Promise<number>;
  /** By key, from behind `afterKey` on. */
  list(jobId: string, limit: number, afterKey?: string): Promise<CopyFailure[]>;
  /** Keys of one shard in UTF-8 byte order. */
  keysOf(shardId: string): Promise<string[]>;
  countOf(shardId: string): Promise<number>;
  /** Forgets the failures of a shard; after a checkpoint only those behind it, because their objects will be done again. */
  forget(shardId: string, afterKey: string | null): Promise<void>;
}

/** First objects of dry runs, by key; at most MAX_PLANNED_PER_JOB are kept for a job. */
export interface PlannedStore {
  record(jobId: string, objects: readonly PlannedObject[]): Promise<void>;
  list(jobId: string): Promise<PlannedObject[]>;
}
