import type { Tally } from '../findings/tally.ts';
import type { FixMode, PlanLine, Spared } from './plan.ts';

/*
 * An audit with repairs goes through two phases, and what was done so far is always on record:
 *
 *   listing   pages are read; lines of the plan are appended; a checkpoint says: cursor, length of the plan, tally
 *   listed    the plan is complete; repairs go through it in order; progress says up to which byte they have been made
 *
 * Interrupted while listing, it goes on at the checkpoint's cursor, with the plan cut to the checkpoint's length. Interrupted while
 * repairing, it goes on at the recorded byte; what was repaired after that is found to be repaired already.
 */

/** How far the listing is. */
export interface ListingState {
  /** What is audited and how; another audit does not continue this one. */
  readonly about: string;
  readonly startedAtMs: number;
  readonly phase: 'listing' | 'listed';
  /** Where the listing goes on. */
  readonly cursor?: string;
  /** Valid length of the plan in bytes. */
  readonly planBytes: number;
  readonly tally: Tally;
}

/** What came of the changes. */
export interface RepairCounts {
  done: number;
  /** They had been put right meanwhile. */
  kept: number;
  /** They were gone. */
  gone: number;
  /** They were not any more what had been found, and were left alone. */
  changed: number;
  failed: number;
  spared: Partial<Record<Spared, number>>;
}

/** How far the repairs are. */
export interface RepairState {
  readonly mode: FixMode;
  readonly appliedBytes: number;
  readonly appliedLines: number;
  readonly counts: RepairCounts;
}

/** Where an audit keeps its record. */
export interface Journal {
  /** What was saved; `undefined`: nothing, or nothing readable. */
  load(): Promise<{ listing: ListingState; repair: RepairState | undefined } | undefined>;
  /** Begins anew: forgets all that was saved. */
  begin(): Promise<void>;
  /** Cuts the plan to a checkpoint's length. */
  cut(planBytes: number): Promise<void>;
  /** Appends to the plan. @returns its length in bytes. */
  append(lines: readonly PlanLine[]): Promise<number>;
  /** Saves how far the listing is; the plan up to there is safe before. */
  saveListing(state: ListingState): Promise<void>;
  saveRepair(state: RepairState): Promise<void>;
  /** The lines of the plan from a byte on, each with the byte behind it. */
  lines(fromByte: number): AsyncGenerator<{ line: PlanLine; endByte: number }, void, undefined>;
  close(): Promise<void>;
}
