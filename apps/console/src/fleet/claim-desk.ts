import type { Clock, Timer } from '../ports/clock.ts';

interface Waiter<T> {
  agentId: string;
  arrival: number;
  /** Whether it may wait for work, or only wants what is there. */
  patient: boolean;
  done: boolean;
  settle(taken: T | null): void;
}

/** A queue that could not be read is looked at again after this, in ms: the work in it was told of already. */
const READ_AGAIN_MS = 1_000;

/** How the desk reaches the queue. */
export interface ClaimDeskOptions<T> {
  clock: Clock;
  /** Takes a piece of work for an agent; null when there is none for it, nor for any agent of its level or a lower one. */
  take: (agentId: string) => Promise<T | null>;
  /** What an agent can do: one of a higher level can do all that one of a lower level can. Default: all can do the same. */
  level?: (agentId: string) => number;
  /** Puts work back whose taker had gone. */
  giveBack: (taken: T) => Promise<void>;
  /** Work that the agent holds now: who holds least is served first. */
  load: (agentId: string) => number;
  onError: (error: unknown) => void;
  /** Claims that may wait at the same time; more are answered at once. Each is an open connection. Default 20,000. */
  maxWaiting?: number;
}

/**
 * Where agents wait for work (long polls). Claims are served one after the other: those whose agents hold least work first,
 * then in order of arrival, so that an idle agent gets something before a busy one gets more.
 */
export class ClaimDesk<T> {
  readonly #options: ClaimDeskOptions<T>;
  readonly #waiters = new Set<Waiter<T>>();
  #arrivals = 0;
  #serving = false;
  #again = false;
  #closed = false;
  #readAgain: Timer | undefined;

  constructor(options: ClaimDeskOptions<T>) {
    this.#options = options;
  }

  /** Claims that wait now. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Agents that wait for work now, each once. */
  idleAgents(): Set<string> {
    return new Set([...this.#waiters].filter(({ patient }) => patient).map(({ agentId }) => agentId));
  }

  /**
   * Takes work, waiting up to `waitMs` for it; null when there was none, the desk closed, or `signal` aborted.
   * @throws what `take` threw
   */
  async claim(agentId: string, waitMs: number, signal: AbortSignal): Promise<T | null> {
    if (this.#closed || signal.aborted) return null;
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const room = this.#waiters.size < (this.#options.maxWaiting ?? 20_000);
      const waiter: Waiter<T> = {
        agentId,
        arrival: (this.#arrivals += 1),
        patient: waitMs > 0 && room,
        done: false,
        settle: (taken) => {
          if (waiter.done) return;
          waiter.done = true;
          this.#waiters.delete(waiter);
          timer?.cancel();
          signal.removeEventListener('abort', giveUp);
          resolve(taken);
        },
      };
      const giveUp = (): void => waiter.settle(null);
      signal.addEventListener('abort', giveUp);
      if (waiter.patient) timer = this.#options.clock.after(waitMs, giveUp);
      this.#waiters.add(waiter);
      this.workAppeared();
    });
  }

  /** Serves those who wait; to be called whenever something was queued. */
  workAppeared(): void {
    this.#again = true;
    if (!this.#serving) void this.#serve();
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    while (this.#again && !this.#closed) {
      this.#again = false;
      try {
        await this.#serveOnce();
      } catch (error) {
        // The queue could not be read: those who wait go on waiting, those in a hurry are told that there is nothing.
        this.#options.onError(error);
        this.#readAgain ??= this.#options.clock.after(READ_AGAIN_MS, () => {
          this.#readAgain = undefined;
          this.workAppeared();
        });
      }
      for (const waiter of this.#waiters) if (!waiter.patient && !this.#again) waiter.settle(null);
    }
    this.#serving = false;
  }

  async #serveOnce(): Promise<void> {
    // Up to this level there is nothing; a higher one may find something all the same.
    let refused = Number.NEGATIVE_INFINITY;
    for (;;) {
      const waiter = this.#next(refused);
      if (waiter === undefined) return;
      const taken = await this.#options.take(waiter.agentId);
      if (taken === null) refused = Math.max(refused, this.#levelOf(waiter));
      else if (waiter.done) await this.#options.giveBack(taken);
      else waiter.settle(taken);
    }
  }

  #levelOf({ agentId }: Waiter<T>): number {
    return this.#options.level?.(agentId) ?? 0;
  }

  #next(above: number): Waiter<T> | undefined {
    let best: Waiter<T> | undefined;
    let bestLoad = 0;
    for (const waiter of this.#waiters) {
      if (this.#levelOf(waiter) <= above) continue;
      const load = this.#options.load(waiter.agentId);
      if (best === undefined || load < bestLoad || (load === bestLoad && waiter.arrival < best.arrival)) {
        best = waiter;
        bestLoad = load;
      }
    }
    return best;
  }

  /** Ends the claims of an agent that may not have work any more. */
  dismiss(agentId: string): void {
    for (const waiter of this.#waiters) if (waiter.agentId === agentId) waiter.settle(null);
  }

  /** Ends all claims; later ones are answered with nothing. */
  close(): void {
    this.#closed = true;
    this.#readAgain?.cancel();
    for (const waiter of this.#waiters) waiter.settle(null);
  }
}
