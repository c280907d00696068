import type { LimitTimeline } from './limit-timeline.ts';
import type { LastReport } from './live-agent.ts';

/** Use of the budget, and the limit that it was measured against. */
export interface JudgedUse {
  /** The highest limit that a reported window ran under; null: the limiter was off in all of them. */
  limitTps: number | null;
  /** In percent; what was done without a limit uses no budget. */
  percent: number;
}

/** All windows ran under one limit. */
export function judgeByLimit(totalTps: number, limitTps: number | null): JudgedUse {
  return { limitTps, percent: limitTps === null ? 0 : (totalTps / limitTps) * 100 };
}

/** What is judged of an agent. */
export interface JudgedAgent {
  readonly usage: Pick<LastReport, 'actualTps' | 'windowMs'> | null;
  readonly heardAtSteadyMs: number | null;
}

/** Each running agent's part is measured against the limit in force when its window began. */
export class WindowJudge {
  readonly #limits: Pick<LimitTimeline, 'at'>;
  #limitTps: number | null = null;
  #percent = 0;
  #reports = 0;

  constructor(limits: Pick<LimitTimeline, 'at'>) {
    this.#limits = limits;
  }

  /** Takes a running agent. */
  add({ usage, heardAtSteadyMs }: JudgedAgent): void {
    if (usage === null || heardAtSteadyMs === null) return;
    this.#reports += 1;
    const granted = this.#limits.at(heardAtSteadyMs - usage.windowMs);
    if (granted === null) return;
    this.#limitTps = Math.max(this.#limitTps ?? 0, granted);
    this.#percent += (usage.actualTps / granted) * 100;
  }

  /** What all of them come to. */
  get use(): JudgedUse {
    // Nothing was reported: nothing is used of what is in force now.
    if (this.#reports === 0) return { limitTps: this.#limits.at(Number.POSITIVE_INFINITY), percent: 0 };
    return { limitTps: this.#limitTps, percent: this.#percent };
  }
}
