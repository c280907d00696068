import type { MonitorEvent, WindowRecord } from '@weir/protocol';

/** The fleet at one moment. */
export interface Sample {
  atMs: number;
  /** The limit that the reported windows ran under; null: the limiter was off. */
  limitTps: number | null;
  /** The limit that was set or scheduled for them: the other one is lower while a cluster asks for less. */
  setLimitTps: number | null;
  totalTps: number;
  /** Online agents, busiest first; of a large fleet only the busiest. */
  agents: { agentId: string; actualTps: number; allocatedTps: number; mbps: number }[];
}

/** Samples of a stretch of time, summed up. */
export interface HistoryBucket {
  atMs: number;
  /** Lowest of its samples that were below the limit that was set; else highest of its samples. */
  limitTps: number | null;
  /** Highest of its samples. */
  setLimitTps: number | null;
  /** Mean of its samples. */
  totalTps: number;
  /** Highest of its samples. */
  peakTps: number;
  /** Means, busiest first; what the total has beyond them belongs to others. */
  agents: { agentId: string; actualTps: number }[];
}

/** How much history stays: what is older goes. */
export interface Retention {
  samplesSinceMs: number;
  bucketsSinceMs: readonly { bucketMs: number; sinceMs: number }[];
  windowsSinceMs: number;
  eventsSinceMs: number;
}

/** What the monitor remembers. Retention is the caller's: it prunes in batches. */
export interface HistoryStore {
  /** Adds a sample, and adds it up in the buckets of each of these lengths. */
  addSample(sample: Sample, bucketsMs: readonly number[]): Promise<void>;
  /** Samples since a moment, oldest first. */
  samplesSince(atMs: number): Promise<Sample[]>;
  /** Buckets of one length that begin since a moment, oldest first. */
  bucketsSince(bucketMs: number, atMs: number): Promise<HistoryBucket[]>;
  /** Adds finished windows; one that is already there is left as it is. */
  addWindows(records: readonly WindowRecord[]): Promise<void>;
  /** Newest first. */
  windows(limit: number): Promise<WindowRecord[]>;
  addEvents(events: readonly MonitorEvent[]): Promise<void>;
  /** Events since a moment, oldest first. */
  eventsSince(atMs: number): Promise<MonitorEvent[]>;
  /** Moment of the oldest of so many newest rows; 0 while there are not that many. A look at that many entries of an index. */
  newestSince(rows: 'windows' | 'events', max: number): Promise<number>;
  /** Deletes up to `batch` rows of each kind that need not stay; returns how many went. */
  prune(retention: Retention, batch: number): Promise<number>;
}
