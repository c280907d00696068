import type { Grant } from '@weir/protocol';

/** Epochs remembered; consoles restart seldom, and an answer that old is long gone from the network. */
const MAX_EPOCHS = 16;

/**
 * Tells new grants from ones that were already run under. The same grant comes twice when a claim and a heartbeat cross
 * or an answer was lost; running it twice would spend its credits twice. An epoch is never refused as such: an answer of
 * the previous console may come after one of its successor, and must not shut the successor out.
 */
export class GrantOrder {
  #latest: Grant | null = null;
  /** Highest window number that was run under, by epoch, the epoch used last at the end. */
  readonly #reached = new Map<string, number>();

  get latest(): Grant | null {
    return this.#latest;
  }

  isNew(grant: Grant): boolean {
    return grant.windowNumber > (this.#reached.get(grant.epoch) ?? 0);
  }

  /** Notes that the agent now runs under this grant. */
  accept(grant: Grant): void {
    this.#latest = grant;
    this.#reached.delete(grant.epoch);
    this.#reached.set(grant.epoch, grant.windowNumber);
    for (const epoch of this.#reached.keys()) {
      if (this.#reached.size <= MAX_EPOCHS) break;
      this.#reached.delete(epoch);
    }
  }
}
