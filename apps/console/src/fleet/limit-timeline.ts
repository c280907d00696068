/** Windows after which nothing is reported any more of what a limit granted: an agent may be silent for three, and late. */
const FORGOTTEN_AFTER_WINDOWS = 6;

interface LimitSpan {
  /** Steady time from which the limit is in force. */
  sinceMs: number;
  /** null: the limiter is off. */
  limitTps: number | null;
  /** What was set or scheduled, before a cluster asked for less. */
  setTps: number | null;
}

/**
 * Which limit was in force when. What agents report now, they did in windows that were granted under the limit of that time:
 * judged against a limit that was lowered since, ordinary work would read as a peak far above it.
 */
export class LimitTimeline {
  readonly #rememberedMs: number;
  #spans: LimitSpan[];

  /** @param limitTps in force so far, also before this process began */
  constructor(windowMs: number, limitTps: number | null, setTps: number | null = limitTps) {
    this.#rememberedMs = windowMs * FORGOTTEN_AFTER_WINDOWS;
    this.#spans = [{ sinceMs: Number.NEGATIVE_INFINITY, limitTps, setTps }];
  }

  /**
   * The limit in force now, and the one that was set (by default the same); to be told again at any time. Returns what was
   * in force before when that has just changed.
   */
  note(limitTps: number | null, steadyMs: number, setTps: number | null = limitTps): { before: number | null } | null {
    const before = this.#latest();
    if (before.limitTps === limitTps) {
      before.setTps = setTps;
      return null;
    }
    this.#spans.push({ sinceMs: steadyMs, limitTps, setTps });
    const stillTold = this.#spans.findLastIndex((span) => span.sinceMs <= steadyMs - this.#rememberedMs);
    this.#spans = this.#spans.slice(Math.max(0, stillTold));
    return { before: before.limitTps };
  }

  /** The limit in force at a moment, up to six windows ago; null: the limiter was off. */
  at(steadyMs: number): number | null {
    return (this.#spans.findLast((span) => span.sinceMs <= steadyMs) ?? this.#latest()).limitTps;
  }

  /** The limit that was set when this one was in force last; itself when it never was. */
  setFor(limitTps: number | null): number | null {
    return (this.#spans.findLast((span) => span.limitTps === limitTps) ?? { setTps: limitTps }).setTps;
  }

  /** Whether reports that come now may be of windows under another limit than the present one. */
  unsettled(steadyMs: number): boolean {
    return this.#latest().sinceMs > steadyMs - this.#rememberedMs;
  }

  #latest(): LimitSpan {
    return this.#spans.at(-1) ?? { sinceMs: Number.NEGATIVE_INFINITY, limitTps: null, setTps: null };
  }
}
