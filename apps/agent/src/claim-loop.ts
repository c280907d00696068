/*
 * Asks the console for work while there is a free slot:
 *
 *   blocked (no slot free, holdoff, stopped) ──wake()──▶ asking (long poll) ──assignment──▶ slot taken, asking again
 *                                                          │  └── nothing: asking again
 *                                            no answer     ▼
 *                                                     retrying after 1–10 s
 *
 * interrupt() ends a long poll, so that a holdoff brings no new work.
 */
import { MAX_CLAIM_WAIT_SECONDS, type ClaimResponse } from '@weir/protocol';
import { isUnanswered, retryDelayMs } from './console/unanswered.ts';
import { pause, type Timing } from './timing.ts';

export interface ClaimLoopOptions {
  claim: (waitSeconds: number, signal: AbortSignal) => Promise<ClaimResponse>;
  /** Whether work may be accepted now: a slot is free and no holdoff is under way. */
  mayAccept: () => boolean;
  /** Takes an answer that brings work. */
  accept: (response: ClaimResponse) => void;
  onTrouble: (error: unknown, retryInMs: number) => void;
  timing: Timing;
}

/** An answer without work that comes sooner than this was no long poll: the console has no room for those, or stops. */
const SHORT_POLL_MS = 1_000;

export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  readonly #stop = new AbortController();
  #poll: AbortController | null = null;
  #wake: (() => void) | null = null;

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
  }

  /** Asks until `stop`; rejects when the console refuses in a way that asking again cannot change. */
  async run(): Promise<void> {
    const { timing, mayAccept, onTrouble } = this.#options;
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      if (!mayAccept()) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const askedAtMs = timing.now();
      const poll = new AbortController();
      this.#poll = poll;
      try {
        const response = await this.#options.claim(MAX_CLAIM_WAIT_SECONDS, poll.signal);
        failures = 0;
        if (response.assignment !== null) this.#options.accept(response);
        else if (timing.now() - askedAtMs < SHORT_POLL_MS) {
          await pause(timing, SHORT_POLL_MS * (1 + timing.random()), this.#stop.signal);
        }
      } catch (error) {
        if (poll.signal.aborted) continue;
        if (!isUnanswered(error)) throw error;
        failures++;
        const retryInMs = retryDelayMs(failures, error, timing.random());
        onTrouble(error, retryInMs);
        await pause(timing, retryInMs, this.#stop.signal);
      } finally {
        this.#poll = null;
      }
    }
  }

  /** A slot became free, or a holdoff ended. */
  wake(): void {
    this.#wake?.();
    this.#wake = null;
  }

  /** Ends the long poll under way; `mayAccept` then decides whether another follows. */
  interrupt(): void {
    this.#poll?.abort();
  }

  stop(): void {
    this.#stop.abort();
    this.interrupt();
    this.wake();
  }
}
