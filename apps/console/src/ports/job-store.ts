import type { CopyFailure, CopyMode, JobState } from '@weir/protocol';
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
  /** Number of jobs per state; absent: none. */
  countByState(): Promise<Map<JobState, number>>;
}

/** Shards of jobs. */
export interface ShardStore {
  insert(shards: readonly Shard[]): Promise<void>;
  get(shardId: string): Promise<Shard | undefined>;
  /** Writes back everything but the key list of a `keys` shard, which never changes. */
  save(shard: Shard): Promise<void>;
  /** First queued shard of the oldest job in state queued or running. */
  nextQueued(): Promise<Shard | undefined>;
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
  list(jobId: string, limit: number): Promise<CopyFailure[]>;
  /** Keys of one shard in UTF-8 byte order. */
  keysOf(shardId: string): Promise<string[]>;
  countOf(shardId: string): Promise<number>;
  /** Forgets the failures of a shard; after a checkpoint only those behind it, because their objects will be done again. */
  forget(shardId: string, afterKey: string | null): Promise<void>;
}
