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
