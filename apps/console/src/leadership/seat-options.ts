import type { Clock } from '../ports/clock.ts';
import type { Leader, LeaseStore } from '../ports/lease-store.ts';
import type { Logger } from '../ports/logger.ts';

/** What a console does while it leads. */
export interface Term {
  /** Ends everything without writing: somebody else may lead already. */
  abandon(): Promise<void>;
  /** Answers what is being asked, writes what is not written yet, and ends. */
  finish(): Promise<void>;
}

/** What a seat works with. */
export interface SeatOptions<T extends Term> {
  readonly lease: LeaseStore;
  readonly clock: Clock;
  /** 0 up to 1. */
  readonly chance: () => number;
  /** A new id for every attempt to lead. */
  readonly newId: () => string;
  readonly log: Logger;
  readonly self: Omit<Leader, 'fence'>;
  /**
   * Takes the next number of the database: changes of terms with lower ones are refused from then on.
   * @throws NewerDatabase for one that a newer console has changed: nothing was written
   */
  readonly nextFence: () => Promise<number>;
  /** Brings back what outlives a leader. @throws when it cannot; `mayTryAgain` says whether it soon can */
  readonly openTerm: (fence: number, lost: () => void) => Promise<T>;
  readonly mayTryAgain: (error: unknown) => boolean;
  /** Told when the leader is another one, or none (null). */
  readonly leaderChanged?: (leader: Leader | null) => void;
}
