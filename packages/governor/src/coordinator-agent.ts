import type { RunningAgent } from './allocation.ts';

/** What the coordinator reads from a heartbeat. */
export interface CoordinatorReport {
  /** Epoch and number of the window that ends; null before the first grant. */
  epoch: string | null;
  windowNumber: number | null;
  /** 0 while idle or in a holdoff. */
  runningJobs: number;
  /** Whether the agent charges against grants. */
  limiter: boolean;
  /** D1, for the window that ends. */
  actualTps: number;
  /** It had more work than its slots let through nearly all the time, so `actualTps` says nothing about its wishes; default false. */
  limited?: boolean;
  /** Rate of its last seconds, when it reports early because it uses less than it did; default: `actualTps`. */
  recentTps?: number;
  /** Credits taken in the window that ends; default 0. Read when it is settled early. */
  chargedOps?: number;
  /** `max-min`: what jobs give it, compared with agents whose jobs give nothing; default 1. */
  weight?: number;
  /** `max-min`: what it is given at least when it uses it, in TPS; default 0. */
  minimumTps?: number;
}

/** An agent as the coordinator sees it. Rates in TPS, times as they were passed in. */
export interface CoordinatorAgent {
  id: string;
  /** Sign of life within three windows. */
  online: boolean;
  /** Online with a running job. */
  active: boolean;
  limiter: boolean;
  /** What it runs with; after it went stale the last that it ran with; 0 when idle. */
  allocatedTps: number;
  /** What it would be given if its heartbeat came now; 0 when it is not in the split. */
  nextTps: number;
  actualTps: number;
  /** Number of its latest grant in this epoch; 0 before the first. */
  windowNumber: number;
  creditBudget: number;
  grantedAtMs: number | null;
  lastHeartbeatAtMs: number | null;
}

/** Whether a report speaks of a window that another life of this coordinator has granted. */
export function isOfAnotherLife({ epoch, windowNumber }: CoordinatorReport, ownEpoch: string): boolean {
  return windowNumber !== null && epoch !== null && epoch !== ownEpoch;
}

/**
 * What an agent says about its wishes; it runs with nothing yet.
 * @param report null: it has accepted a job and not reported since.
 * @param actualTps what it reported; null: nothing that counts.
 */
export function claimOf(id: string, report: CoordinatorReport | null, actualTps: number | null): RunningAgent {
  const recentTps = Math.max(0, report?.recentTps ?? Number.POSITIVE_INFINITY);
  return {
    id,
    allocatedTps: 0,
    actualTps: actualTps === null ? null : Math.min(actualTps, recentTps),
    limited: report?.limited ?? false,
    weight: report?.weight ?? 1,
    minimumTps: report?.minimumTps ?? 0,
  };
}

/**
 * The same claim at another rate.
 * @param usedTps it counts as using at least this much; default 0.
 */
export function claimAt(claim: RunningAgent, allocatedTps: number, usedTps: number = 0): RunningAgent {
  const { id, actualTps, limited = false, weight = 1, minimumTps = 0 } = claim;
  // Written out: V8 gives each copy by spreading a hidden class of its own, which takes more memory than the claim.
  return {
    id,
    allocatedTps,
    actualTps: actualTps === null ? null : Math.max(actualTps, usedTps),
    limited,
    weight,
    minimumTps,
  };
}
