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
export function judgeByWindows(running: Iterable<JudgedAgent>, limits: Pick<LimitTimeline, 'at'>): JudgedUse {
  let limitTps: number | null = null;
  let percent = 0;
  let reports = 0;
  for (const { usage, heardAtSteadyMs } of running) {
    if (usage === null || heardAtSteadyMs === null) continue;
    reports += 1;
    const granted = limits.at(heardAtSteadyMs - usage.windowMs);
    if (granted === null) continue;
    limitTps = Math.max(limitTps ?? 0, granted);
    percent += (usage.actualTps / granted) * 100;
  }
  // Nothing was reported: nothing is used of what is in force now.
  return reports === 0 ? { limitTps: limits.at(Number.POSITIVE_INFINITY), percent: 0 } : { limitTps, percent };
}
