import { setMaxListeners } from 'node:events';

/** Signals that one cancellation hands out in turns. */
const SIGNALS = 64;

/**
 * Tells running operations to stop. An AbortSignal does the same, but adding a listener to one that has thousands
 * searches them all, and every request of a run adds one; here it costs nothing.
 */
export class Cancellation {
  readonly #callbacks = new Set<(reason: Error) => void>();
  readonly #controllers: AbortController[] = [];
  #turn = 0;
  #reason: Error | null = null;

  /**
   * A signal for code that wants one. Not always the same: a gate adds a listener for each operation that it parks,
   * and with one signal for all of them parking the ten-thousandth would look at those before.
   */
  get signal(): AbortSignal {
    const index = this.#turn++ % SIGNALS;
    const controller = (this.#controllers[index] ??= newController());
    if (this.#reason !== null) controller.abort(this.#reason);
    return controller.signal;
  }

  /** Why it was cancelled; null while it is not. */
  get reason(): Error | null {
    return this.#reason;
  }

  /** Cancels; later calls change nothing. */
  cancel(reason: Error): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    for (const controller of this.#controllers) controller.abort(reason);
    const callbacks = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of callbacks) callback(reason);
  }

  /** Calls back once when cancelled, at once if it already is. Returns how to forget the callback. */
  onCancel(callback: (reason: Error) => void): () => void {
    if (this.#reason !== null) {
      callback(this.#reason);
      return () => undefined;
    }
    this.#callbacks.add(callback);
    return () => {
      this.#callbacks.delete(callback);
    };
  }

  /** @throws the reason, when cancelled. */
  throwIfCancelled(): void {
    if (this.#reason !== null) throw this.#reason;
  }

  /** One that is cancelled with this one, and can be cancelled alone. Call `detach` when it is no longer needed. */
  child(): { cancellation: Cancellation; detach: () => void } {
    const cancellation = new Cancellation();
    const detach = this.onCancel((reason) => cancellation.cancel(reason));
    return { cancellation, detach };
  }

  /** One that follows an AbortSignal. */
  static from(signal: AbortSignal): Cancellation {
    const cancellation = new Cancellation();
    const abort = (): void => {
      cancellation.cancel(signal.reason instanceof Error ? signal.reason : new CancelledError('cancelled'));
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return cancellation;
  }
}

function newController(): AbortController {
  const controller = new AbortController();
  // Many listeners are no leak here: they go when their operations do.
  setMaxListeners(0, controller.signal);
  return controller;
}

/** An operation ended because it was told to, not because it failed. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}
