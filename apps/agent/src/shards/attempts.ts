import type { ShardTrouble } from '@weir/protocol';
import type { Logger } from 'pino';
import { jitteredDelayMs } from '../console/unanswered.ts';
import { pause, type Timing } from '../timing.ts';
import type { CopyEnd, CopyTrouble } from './copy-engine.ts';

/** How the work on a shard ends. */
export interface Outcome {
  state: 'completed' | 'released' | 'failed';
  error: CopyTrouble | null;
}

export interface AttemptsOptions {
  timing: Timing;
  /** How long trouble without any progress is borne, in ms. */
  patienceMs: number;
  /** Ends waiting and begins nothing new. */
  release: AbortSignal;
  /** Where the work stands; an attempt that moves it shows that waiting helps. */
  checkpoint: () => string | null;
  log: Logger;
}

/** Longest time between two attempts of a shard, in ms. */
const MAX_PAUSE_MS = 60_000;

/** Repeats what trouble interrupts, and says meanwhile what the trouble is. */
export class Attempts {
  readonly #options: AttemptsOptions;
  #trouble: (CopyTrouble & { sinceMs: number; retryAtMs: number | null }) | null = null;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** What interrupted the last attempt, until `recovered`. */
  get trouble(): ShardTrouble | null {
    if (this.#trouble === null) return null;
    const { code, message, sinceMs, retryAtMs } = this.#trouble;
    const nowMs = this.#options.timing.now();
    return {
      // What servers say is unbounded; the wire is not.
      code: code.slice(0, 64),
      message: message.slice(0, 1_000),
      forMs: Math.round(nowMs - sinceMs),
      retryInMs: retryAtMs === null ? null : Math.max(0, Math.round(retryAtMs - nowMs)),
    };
  }

  /** The work goes on. */
  recovered(): void {
    this.#trouble = null;
  }

  /**
   * Repeats an attempt that trouble interrupts, until it succeeds (null) or there is nothing left to do. Patience begins
   * anew with every checkpoint.
   * @param failingForMs for how long requests had failed when an attempt ended, in ms
   */
  async until(attempt: () => Promise<CopyEnd>, failingForMs: () => number): Promise<Outcome | null> {
    const { timing, patienceMs, release, checkpoint, log } = this.#options;
    let since = timing.now();
    let failures = 0;
    let reached = checkpoint();
    for (;;) {
      if (release.aborted) return { state: 'released', error: null };
      const end = await attempt();
      if (end.type !== 'interrupted') this.recovered();
      switch (end.type) {
        case 'completed':
          return null;
        case 'stopped':
          return { state: 'released', error: null };
        case 'hopeless':
          return { state: 'failed', error: end.trouble };
        case 'interrupted':
          break;
      }
      if (checkpoint() !== reached) {
        reached = checkpoint();
        since = timing.now();
        failures = 0;
        this.recovered();
      }
      failures++;
      if (timing.now() - since >= patienceMs) return { state: 'failed', error: end.trouble };
      const delayMs = jitteredDelayMs(failures, MAX_PAUSE_MS, timing.random());
      log.warn({ ...end.trouble, retryInMs: Math.round(delayMs) }, 'interrupted');
      const sinceMs = this.#trouble?.sinceMs ?? timing.now() - failingForMs();
      this.#trouble = { ...end.trouble, sinceMs, retryAtMs: timing.now() + delayMs };
      await pause(timing, delayMs, release);
      this.#trouble = { ...this.#trouble, retryAtMs: null };
    }
  }
}
