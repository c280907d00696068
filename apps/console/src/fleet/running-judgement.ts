import type { JudgedUse } from './judged-use.ts';
import { WindowJudge, type JudgedAgent } from './judged-use.ts';
import type { LimitTimeline } from './limit-timeline.ts';

/** Agents that one look judges: a fraction of a millisecond, so that no heartbeat waits for a pass over a large fleet. */
const AGENTS_PER_LOOK = 500;
/** A fleet of more agents is too large for a pass at every heartbeat; then a result counts for a while … */
const LARGE_FLEET = 200;
/** … ten seconds with 100,000 agents … */
const REUSED_FOR_MS_PER_AGENT = 0.1;
/** … and for a second at least. */
const REUSED_FOR_AT_LEAST_MS = 1_000;

/**
 * Use of the budget by what each agent's own window was granted, of a fleet that changes all the time. While a result grows
 * old the next one is worked out, a piece with each look; only the first takes a whole pass at once.
 */
export class RunningJudgement<Agent extends JudgedAgent> {
  #use: JudgedUse | null = null;
  #untilMs = 0;
  #pass: { agents: Iterator<Agent>; judge: WindowJudge; seen: number } | null = null;

  /** Another limit is in force: what was judged does not count any more. */
  forget(): void {
    this.#use = null;
    this.#pass = null;
  }

  /**
   * The use as far as it is known.
   * @param fleet.agents all that might count, in any order
   * @param fleet.counts whether one does now
   */
  use(
    fleet: { agents: () => Iterable<Agent>; counts: (agent: Agent) => boolean },
    limits: Pick<LimitTimeline, 'at'>,
    steadyMs: number,
  ): JudgedUse {
    if (this.#use !== null && steadyMs < this.#untilMs) return this.#use;
    this.#pass ??= { agents: fleet.agents()[Symbol.iterator](), judge: new WindowJudge(limits), seen: 0 };
    const pass = this.#pass;
    const before = this.#use;
    const most = before === null ? Number.POSITIVE_INFINITY : AGENTS_PER_LOOK;
    for (let looked = 0; looked < most; looked += 1) {
      const next = pass.agents.next();
      if (next.done === true) return this.#judged(pass, steadyMs);
      pass.seen += 1;
      if (fleet.counts(next.value)) pass.judge.add(next.value);
    }
    return before ?? this.#judged(pass, steadyMs);
  }

  #judged({ judge, seen }: { judge: WindowJudge; seen: number }, steadyMs: number): JudgedUse {
    this.#pass = null;
    this.#use = judge.use;
    const large = seen > LARGE_FLEET;
    this.#untilMs = steadyMs + (large ? Math.max(REUSED_FOR_AT_LEAST_MS, seen * REUSED_FOR_MS_PER_AGENT) : 0);
    return this.#use;
  }
}
