/**
 * Tells running operations to stop. An AbortSignal does the same, but removing a listener from one that has thousands
 * searches them all, and every request of a run adds one; here it costs nothing.
 */
export class Cancellation {
  readonly #callbacks = new Set<(reason: Error) => void>();
  readonly #controller = new AbortController();
  #reason: Error | null = null;

  /** For code that wants an AbortSignal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why it was cancelled; null while it is not. */
  get reason(): Error | null {
    return this.#reason;
  }

  /** Cancels; later calls change nothing. */
  cancel(reason: Error): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#controller.abort(reason);
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

/** An operation ended because it was told to, not because it failed. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}
