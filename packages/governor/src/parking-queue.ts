import type { TransactionType } from './cost-model.ts';
import { LinkedQueue, type Linked } from './linked-queue.ts';

/** The part of an AbortSignal that the queue needs; declared here because this package knows no platform types. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** An operation that waits for credits. */
export interface ParkedOperation extends Linked<ParkedOperation> {
  readonly type: TransactionType;
  readonly cost: number;
  readonly parkedAtMs: number;
  readonly admit: (parkedMs: number) => void;
  readonly abort: (reason: unknown) => void;
  readonly signal: AbortSource | undefined;
}

/** Operations that wait under one signal, and the single listener that they share. */
interface AbortGroup {
  readonly members: Set<ParkedOperation>;
  readonly listener: () => void;
}

/**
 * Operations parked for credits, oldest first. Adding, taking the oldest and removing any one cost O(1).
 *
 * A job gives one signal to thousands of operations. A listener for each would cost a walk over all of them for every
 * new one (an EventTarget looks for duplicates), so operations are grouped by signal behind one listener.
 */
export class ParkingQueue {
  readonly #order = new LinkedQueue<ParkedOperation>();
  readonly #groups = new Map<AbortSource, AbortGroup>();
  readonly #onAborted: () => void;

  /** @param onAborted called once after a signal took its operations out: the new head may fit where the old did not. */
  constructor(onAborted: () => void) {
    this.#onAborted = onAborted;
  }

  get size(): number {
    return this.#order.size;
  }

  get head(): ParkedOperation | null {
    return this.#order.head;
  }

  push(operation: ParkedOperation): void {
    this.#order.push(operation);
    if (operation.signal !== undefined) this.#group(operation.signal).members.add(operation);
  }

  /** Takes the oldest operation out; the caller settles it. */
  shift(): ParkedOperation | null {
    const operation = this.#order.head;
    if (operation === null) return null;
    this.#order.remove(operation);
    if (operation.signal !== undefined) this.#leaveGroup(operation, operation.signal);
    return operation;
  }

  #group(signal: AbortSource): AbortGroup {
    const existing = this.#groups.get(signal);
    if (existing !== undefined) return existing;
    const group: AbortGroup = { members: new Set(), listener: () => this.#abort(signal, group) };
    this.#groups.set(signal, group);
    signal.addEventListener('abort', group.listener);
    return group;
  }

  #leaveGroup(operation: ParkedOperation, signal: AbortSource): void {
    const group = this.#groups.get(signal);
    if (group === undefined) return;
    group.members.delete(operation);
    if (group.members.size === 0) this.#dissolve(signal, group);
  }

  #dissolve(signal: AbortSource, group: AbortGroup): void {
    this.#groups.delete(signal);
    signal.removeEventListener('abort', group.listener);
  }

  #abort(signal: AbortSource, group: AbortGroup): void {
    this.#dissolve(signal, group);
    for (const operation of group.members) {
      this.#order.remove(operation);
      operation.abort(signal.reason);
    }
    this.#onAborted();
  }
}
