import type { Leader } from '../ports/lease-store.ts';
import type { Logger } from '../ports/logger.ts';
import { NewerDatabase } from '../ports/newer-database.ts';
import { differenceFrom, outdatedBy, type Difference } from './differences.ts';

/** Whether one console may lead its group, by what it has seen. Each change is logged once, and not at every look. */
export class Fitness {
  readonly #self: Omit<Leader, 'fence'>;
  readonly #log: Logger;
  #difference: Difference | null = null;
  #failure: string | null = null;

  constructor(self: Omit<Leader, 'fence'>, log: Logger) {
    this.#self = self;
    this.#log = log;
  }

  /** Why it may not lead; null: it may. */
  get difference(): Difference | null {
    return this.#difference;
  }

  /** Another one holds the lease. One that fits makes this one fit again. */
  sawLeader(leader: Leader): void {
    const difference = differenceFrom(this.#self, leader);
    // It has no term yet: whether it brings the database back to what this one knows cannot be told from it.
    if (difference === null && leader.fence === null && this.#difference?.kind === 'version') return;
    this.#note(difference, leader);
  }

  /** It had the lease, and could not lead. */
  couldNotLead(error: unknown): void {
    if (error instanceof NewerDatabase) return this.#note(outdatedBy(this.#self, error), null);
    if (this.#failure === String(error)) return;
    this.#failure = String(error);
    this.#log.error({ err: error }, 'this console cannot lead; it leaves that to the others');
  }

  led(): void {
    this.#failure = null;
  }

  #note(difference: Difference | null, leader: Leader | null): void {
    const before = this.#difference;
    this.#difference = difference;
    if (before?.message === difference?.message) return;
    const where = { leaderUrl: leader?.url ?? null, fence: leader?.fence ?? null };
    if (difference === null) this.#log.info(where, 'this console fits the one that leads, and may succeed it');
    else this.#log.error({ differs: difference.kind, ...where }, difference.message);
  }
}
