import type { Grant } from '@weir/protocol';

/** What happens to an agent's governor, for logs and metrics. */
export type GovernorEvent =
  | { type: 'granted'; grant: Grant; by: 'heartbeat' | 'claim' }
  /** `off`: the console switched the limiter off, operations run unthrottled. */
  | { type: 'limiter'; mode: 'enforced' | 'off' }
  /** A new coordinator answers: the console was restarted. */
  | { type: 'epoch-changed'; from: string; to: string }
  /** A heartbeat was not answered; the next try follows in `retryInMs`. */
  | { type: 'console-lost'; error: unknown; retryInMs: number }
  /** No console answers, and the settings let the agent go on at this rate until one does. */
  | { type: 'safe-rate'; tps: number }
  | { type: 'console-back'; lostMs: number }
  | { type: 'holdoff-started'; durationMs: number; reason: string; jobId: string | null }
  | { type: 'holdoff-ended' }
  /** The console refuses this agent for good; operations that wait were rejected. */
  | { type: 'fatal'; error: GovernorStoppedError };

/** Why an operation was not admitted: the governor has stopped and no grant will ever come. */
export class GovernorStoppedError extends Error {
  override readonly name = 'GovernorStoppedError';
  /** `stopped`: by `stop()` · `refused`: the console does not accept this agent (see `cause`). */
  readonly reason: 'stopped' | 'refused';

  constructor(reason: 'stopped' | 'refused', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
