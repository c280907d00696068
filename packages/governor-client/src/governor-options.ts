import type { Grant, Holdoff } from '@weir/protocol';
import type { GovernorEvent } from './governor-events.ts';
import type { HeartbeatLoopState, StartTimer } from './heartbeat-loop.ts';
import type { HeartbeatTransport } from './transport.ts';

export interface AgentGovernorOptions {
  transport: HeartbeatTransport;
  /** Sent with each heartbeat. `bootId` is new for each start of the process. */
  identity: { version: string; host: string; bootId: string };
  /** Jobs that run now, without regard to holdoffs; asked at each heartbeat. */
  runningJobs: () => number;
  /** Object bytes since this was last called; asked once per window. */
  takeTransferredBytes: () => { bytesRead: number; bytesWritten: number };
  onEvent?: (event: GovernorEvent) => void;
  /** Length of a holdoff is uniform between these, in ms. Default 30,000–300,000. */
  holdoffMinMs?: number;
  holdoffMaxMs?: number;
  /** Bounds of the time between two tries while no console answers, in ms. Default 1,000–10,000. */
  retryMinMs?: number;
  retryMaxMs?: number;
  /** Longest time for the last heartbeat that `stop` sends, in ms. Default 2,000. */
  goodbyeTimeoutMs?: number;
  /** Monotonic clock, in ms. Default: `performance.now`. */
  now?: () => number;
  startTimer?: StartTimer;
  /** Uniform in [0, 1). Default: `Math.random`. */
  random?: () => number;
}

/** What an agent's governor is doing, for status lines. */
export interface GovernorStatus {
  loop: HeartbeatLoopState;
  mode: 'closed' | 'enforced' | 'open';
  grant: Grant | null;
  remainingCredits: number;
  /** Operations that wait for credits or for the end of a holdoff. */
  parkedOps: number;
  holdoff: Holdoff | null;
}

/** The options with their defaults filled in. */
export type CompleteOptions = Required<AgentGovernorOptions>;

export function withDefaults(options: AgentGovernorOptions): CompleteOptions {
  return {
    onEvent: () => undefined,
    holdoffMinMs: 30_000,
    holdoffMaxMs: 300_000,
    retryMinMs: 1_000,
    retryMaxMs: 10_000,
    goodbyeTimeoutMs: 2_000,
    now: () => performance.now(),
    startTimer: startRealTimer,
    random: Math.random,
    ...options,
  };
}

function startRealTimer(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
