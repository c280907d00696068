import type { Grant } from '@weir/protocol';

/** Epochs remembered as over; consoles restart seldom, and an answer that old is long gone from the network. */
const MAX_PAST_EPOCHS = 16;

/**
 * Tells new grants from ones that were already run under. The same grant comes twice when a claim and a heartbeat cross
 * or an answer was lost; running it twice would spend its credits twice.
 */
export class GrantOrder {
  #latest: Grant | null = null;
  readonly #pastEpochs: string[] = [];

  get latest(): Grant | null {
    return this.#latest;
  }

  /** Whether this grant may be run under: of this epoch and later, or the first of an epoch not seen before. */
  isNew(grant: Grant): boolean {
    if (this.#latest === null) return true;
    if (grant.epoch === this.#latest.epoch) return grant.windowNumber > this.#latest.windowNumber;
    return !this.#pastEpochs.includes(grant.epoch);
  }

  /** Notes that the agent now runs under this grant. */
  accept(grant: Grant): void {
    if (this.#latest !== null && this.#latest.epoch !== grant.epoch) {
      this.#pastEpochs.push(this.#latest.epoch);
      if (this.#pastEpochs.length > MAX_PAST_EPOCHS) this.#pastEpochs.shift();
    }
    this.#latest = grant;
  }
}
