import { MAX_TAKEOVERS, TAKEOVERS_FOR_MS, type Takeover } from '@weir/protocol';

/** Who took the lead of the group and when, as far as it was written down. Only a leader has one: nobody else takes it meanwhile. */
export class LeadLog {
  #newestFirst: readonly Takeover[] = [];

  /** @param newestFirst of the last day at least */
  replace(newestFirst: readonly Takeover[]): void {
    this.#newestFirst = newestFirst;
  }

  /** When a term began; null when that is not known. */
  beganAtMs(fence: number): number | null {
    return this.#newestFirst.find((each) => each.fence === fence)?.atMs ?? null;
  }

  /** Takeovers of the day before `nowMs`: how many, and the newest of them, newest first. */
  lastDay(nowMs: number): { takeovers: Takeover[]; takeoversInDay: number } {
    const inDay = this.#newestFirst.filter(({ atMs }) => atMs > nowMs - TAKEOVERS_FOR_MS);
    return { takeovers: inDay.slice(0, MAX_TAKEOVERS), takeoversInDay: inDay.length };
  }
}
