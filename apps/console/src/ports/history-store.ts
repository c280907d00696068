import type { WindowRecord } from '@weir/protocol';

/** The fleet at one moment. */
export interface Sample {
  atMs: number;
  limitTps: number | null;
  totalTps: number;
  agents: { agentId: string; actualTps: number; allocatedTps: number; mbps: number }[];
}

/** What the monitor remembers. Retention is the caller's: it prunes in batches. */
export interface HistoryStore {
  addSample(sample: Sample): Promise<void>;
  /** Samples since a moment, oldest first. */
  samplesSince(atMs: number): Promise<Sample[]>;
  /** Adds finished windows; one that is already there is left as it is. */
  addWindows(records: readonly WindowRecord[]): Promise<void>;
  /** Newest first. */
  windows(limit: number): Promise<WindowRecord[]>;
  /** Deletes up to `batch` rows of each kind older than `beforeMs`; returns how many went. */
  prune(beforeMs: number, batch: number): Promise<number>;
}
