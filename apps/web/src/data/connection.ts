import { ApiError, NetworkError } from '@weir/client';
import type { ErrorCode } from '@weir/protocol';

/** Whether the console answers. Kept outside React: every call reports here, the shell shows it. */
export interface ConnectionState {
  /** Moment of the first failure since the last answer; null while the console answers. */
  failingSinceMs: number | null;
  /** Moment of the last answer; null before the first. */
  lastAnswerAtMs: number | null;
  /** The latest failure. */
  error: unknown;
}

/** Collects the outcome of calls; a refusal (wrong input, no right) is an answer too. */
export class ConnectionMonitor {
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #state: ConnectionState = { failingSinceMs: null, lastAnswerAtMs: null, error: null };

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly answered = (): void => {
    const wasFailing = this.#state.failingSinceMs !== null;
    this.#state = { failingSinceMs: null, lastAnswerAtMs: this.#now(), error: null };
    // The moment of the last answer alone is nothing to draw: telling listeners would redraw the shell at each poll.
    if (wasFailing) this.#notify();
  };

  readonly failed = (error: unknown): void => {
    if (!isConnectionFailure(error)) {
      this.answered();
      return;
    }
    this.#state = { ...this.#state, failingSinceMs: this.#state.failingSinceMs ?? this.#now(), error };
    this.#notify();
  };

  readonly state = (): ConnectionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const CANNOT_SERVE: ReadonlySet<ErrorCode> = new Set(['unavailable', 'storage-unavailable', 'no-leader']);

/** Whether an error means "the console cannot serve", not "the console says no". */
export function isConnectionFailure(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && CANNOT_SERVE.has(error.code));
}
