import type { Clock, Timer } from '../ports/clock.ts';
import { LeadershipLost } from '../ports/leadership-lost.ts';
import type { Logger } from '../ports/logger.ts';
import { StorageUnavailable } from '../ports/storage-unavailable.ts';

const ALIGNED_LATE_MS = 5;

/** Runs background work on the console's own timers until it is stopped. */
export class Ticker {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #timers = new Map<string, Timer>();
  readonly #running = new Set<Promise<void>>();
  /** Work whose last turn failed: what with, and how often since. */
  readonly #failing = new Map<string, { error: string; times: number }>();
  #stopped = false;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Runs `work` every `periodMs`, never twice at the same time. A failure is logged when it is a new one, and so is its end;
   * the next turn comes as usual.
   */
  every(name: string, periodMs: number, work: () => Promise<void> | void): void {
    this.#schedule(name, () => periodMs, work);
  }

  /**
   * The same just after whole multiples of `periodMs` since 1970, so that the points of a chart lie on a grid. A timer may
   * come a millisecond early, which would put the point into the slot before.
   */
  everyAligned(name: string, periodMs: number, work: () => Promise<void> | void): void {
    this.#schedule(name, () => periodMs - (this.#clock.nowMs() % periodMs) + ALIGNED_LATE_MS, work);
  }

  #schedule(name: string, delayMs: () => number, work: () => Promise<void> | void): void {
    if (this.#stopped) return;
    const timer = this.#clock.after(delayMs(), () => {
      const turn = this.#turn(name, work).finally(() => {
        this.#running.delete(turn);
        this.#schedule(name, delayMs, work);
      });
      this.#running.add(turn);
    });
    this.#timers.set(name, timer);
  }

  async #turn(name: string, work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
      this.#worked(name);
    } catch (error) {
      if (error instanceof LeadershipLost) {
        this.#log.debug({ tick: name }, 'background work ended with the term of this console');
        return;
      }
      this.#failed(name, error);
    }
  }

  #worked(name: string): void {
    const failing = this.#failing.get(name);
    if (failing === undefined) return;
    this.#failing.delete(name);
    this.#log.info({ tick: name, failures: failing.times }, 'background work goes on');
  }

  /** An hour without a disk or a database is one line, not one for each of 3,600 turns. */
  #failed(name: string, error: unknown): void {
    const fields = { tick: name, error: String(error) };
    // Whoever keeps the connection has said that the database is away, and will say that it is back.
    if (error instanceof StorageUnavailable) {
      this.#log.debug(fields, 'background work waits for the database');
      return;
    }
    const before = this.#failing.get(name);
    this.#failing.set(name, { error: fields.error, times: (before?.times ?? 0) + 1 });
    if (before?.error === fields.error) this.#log.debug(fields, 'background work failed again');
    else this.#log.error(fields, 'background work failed; it will be tried again');
  }

  /** Sets no more timers and waits for work that runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
    await Promise.all(this.#running);
  }
}
