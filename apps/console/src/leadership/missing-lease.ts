/*
 * Whether a lease that is not there may be taken. It may have ended, because its holder did not renew it; or Redis lost it
 * (restarted empty, flushed, failed over), while its holder still leads for as long as it takes the lease for proven.
 *
 *   seen, nearly over: its holder had not renewed for so long
 *     that it does not lead any more ────────────────────────▶ may be taken
 *   seen with time left, or unknown ── missing ── PROVEN_MS ──▶ may be taken: whoever held it has noticed
 *
 * A lease that was given back is not missing: it says so, and is taken at once.
 */
import { LEASE_MS, LOOK_JITTER_MS, LOOK_MS, PROVEN_MS } from './lease-times.ts';

/** A holder whose lease ends within this has stopped leading. */
const NEARLY_OVER_MS = LEASE_MS - PROVEN_MS;

type Seen = { kind: 'unknown' } | { kind: 'held'; remainingMs: number } | { kind: 'missing'; sinceMs: number };

/** What one console has seen of the lease. Times by its steady clock, in ms. */
export class MissingLease {
  #seen: Seen = { kind: 'unknown' };
  #run = Number.NaN;

  /**
   * Whether a lease that is missing at `nowMs` may be taken.
   * @param run of the store: in another one, what was seen before means nothing
   */
  mayBeTaken(nowMs: number, run: number): boolean {
    if (run !== this.#run) this.lost();
    this.#run = run;
    switch (this.#seen.kind) {
      case 'unknown':
        return false;
      case 'held':
        return this.#seen.remainingMs <= NEARLY_OVER_MS;
      case 'missing':
        return nowMs >= this.#seen.sinceMs + PROVEN_MS;
      default:
        return this.#seen satisfies never;
    }
  }

  /** Somebody holds it. */
  sawHeld(remainingMs: number): void {
    this.#seen = { kind: 'held', remainingMs };
  }

  /** It was not there, and could not be taken. */
  sawMissing(nowMs: number): void {
    if (this.#seen.kind !== 'missing') this.#seen = { kind: 'missing', sinceMs: nowMs };
  }

  /** We held it, and do not know what became of it. */
  lost(): void {
    this.#seen = { kind: 'unknown' };
  }

  /**
   * How long until the next look is worth it, in ms. A lease that nears its end is looked at just before, and just after.
   * @param chance 0 up to 1
   */
  nextLookMs(nowMs: number, chance: number): number {
    const usualMs = LOOK_MS + LOOK_JITTER_MS * chance;
    if (this.#seen.kind === 'missing') return Math.max(1, Math.min(usualMs, this.#seen.sinceMs + PROVEN_MS - nowMs));
    if (this.#seen.kind !== 'held') return usualMs;
    const { remainingMs } = this.#seen;
    if (remainingMs <= NEARLY_OVER_MS) return Math.min(usualMs, Math.max(1, remainingMs + 5));
    return Math.min(usualMs, Math.max(1, remainingMs - NEARLY_OVER_MS / 2));
  }
}
