import { setMaxListeners } from 'node:events';
import { QuotaError } from '@weir/quota';
import { replyCode } from '../reply-errors.ts';

/** Commands that share a signal. Few enough that a command's listener is added and removed in no time. */
const SHARED_BY = 64;

interface Group {
  readonly controller: AbortController;
  /** Commands that were given this signal, and of these, the ones that have no answer. */
  given: number;
  open: number;
}

/**
 * Commands that a node-redis client was given and may not have written yet. When its connection ends it fails those that it
 * has written, and keeps the others for the next connection, however long that takes: to whoever waits a hang, and to the
 * server a charge that nobody expects any more. A signal that is aborted takes such commands back, and has no effect on written
 * ones.
 */
export class UnwrittenCommands {
  #current: Group | undefined;
  readonly #groups = new Set<Group>();

  /**
   * Sends a command with the signal that takes it back.
   * @throws {QuotaError} `store-unavailable` when the connection ended before the answer; else what `send` throws.
   */
  async send<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const group = this.#group();
    group.given += 1;
    group.open += 1;
    try {
      return await send(group.controller.signal);
    } catch (error) {
      throw group.controller.signal.aborted && replyCode(error) === '' ? down('the connection broke', error) : error;
    } finally {
      group.open -= 1;
      if (group.open === 0 && group !== this.#current) this.#groups.delete(group);
    }
  }

  /** Takes back what has not been written. For the moment at which the connection has ended. */
  takeBack(): void {
    const groups = [...this.#groups];
    this.#groups.clear();
    this.#current = undefined;
    for (const { controller } of groups) controller.abort();
  }

  #group(): Group {
    if (this.#current !== undefined && this.#current.given < SHARED_BY) return this.#current;
    const last = this.#current;
    if (last !== undefined && last.open === 0) this.#groups.delete(last);
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    this.#current = { controller, given: 0, open: 0 };
    this.#groups.add(this.#current);
    return this.#current;
  }
}

/** What a call fails with while there is no connection. */
export function down(why: string, cause?: unknown): QuotaError {
  return new QuotaError('store-unavailable', `the node-redis client is not connected (${why})`, { cause });
}
