/**
 * When heartbeats are sent. One is under way at a time.
 *
 *   idle ──start()──▶ sending ──answer──▶ waiting ──due, or soon()──▶ sending
 *                      │   ▲
 *            no answer │   │ after 1–10 s
 *                      ▼   │
 *                     retrying
 *
 *   any ──stop(), or a refusal that no retry can cure──▶ stopped (for good)
 */
export type HeartbeatLoopState = 'idle' | 'sending' | 'waiting' | 'retrying' | 'stopped';

/** Runs something later and returns how to cancel it. */
export type StartTimer = (run: () => void, delayMs: number) => () => void;

export interface HeartbeatLoopOptions {
  /** Sends one heartbeat; resolves to the time until the next is due, in ms. */
  beat: (signal: AbortSignal) => Promise<number>;
  /** What a failed heartbeat means: `fatal` ends the loop, a number is the least time to wait before the retry, in ms. */
  judge: (error: unknown) => 'fatal' | number;
  onLost: (error: unknown, retryInMs: number) => void;
  onFatal: (error: unknown) => void;
  /** Bounds of the time between two tries while the console does not answer, in ms. */
  retryMinMs: number;
  retryMaxMs: number;
  startTimer: StartTimer;
  /** Uniform in [0, 1). */
  random: () => number;
}

/** A console that names a nonsensical time must neither be flooded nor forgotten (timers over 24.8 days fire at once). */
const MIN_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 3_600_000;

export class HeartbeatLoop {
  readonly #options: HeartbeatLoopOptions;
  #state: HeartbeatLoopState = 'idle';
  #failures = 0;
  #again = false;
  #cancelTimer: (() => void) | null = null;
  #inFlight: AbortController | null = null;

  constructor(options: HeartbeatLoopOptions) {
    this.#options = options;
  }

  get state(): HeartbeatLoopState {
    return this.#state;
  }

  /** Sends the first heartbeat at once. */
  start(): void {
    if (this.#state === 'idle') this.#send();
  }

  /**
   * Something changed that the console should know now: sends at once, or as soon as the heartbeat under way is
   * answered. While the console does not answer, the next retry carries the news: hurrying would only add load.
   */
  soon(): void {
    if (this.#state === 'sending') this.#again = true;
    else if (this.#state === 'waiting') this.#send();
  }

  /** Moves the next heartbeat, in ms from now; ignored unless the loop is waiting for one. */
  dueIn(delayMs: number): void {
    if (this.#state === 'waiting') this.#wait('waiting', clampInterval(delayMs));
  }

  /** Ends the loop and gives up a heartbeat under way. */
  stop(): void {
    this.#state = 'stopped';
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#inFlight?.abort();
    this.#inFlight = null;
  }

  #send(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#state = 'sending';
    this.#again = false;
    const controller = new AbortController();
    this.#inFlight = controller;
    this.#options.beat(controller.signal).then(
      (nextMs) => {
        if (this.#inFlight === controller) this.#answered(nextMs);
      },
      (error: unknown) => {
        if (this.#inFlight === controller) this.#failed(error);
      },
    );
  }

  #answered(nextMs: number): void {
    this.#inFlight = null;
    this.#failures = 0;
    if (this.#again) this.#send();
    else this.#wait('waiting', clampInterval(nextMs));
  }

  #failed(error: unknown): void {
    this.#inFlight = null;
    const verdict = this.#options.judge(error);
    if (verdict === 'fatal') {
      this.stop();
      this.#options.onFatal(error);
      return;
    }
    this.#failures++;
    const { retryMinMs, retryMaxMs, random } = this.#options;
    const ceilingMs = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(this.#failures, 30));
    const jitteredMs = retryMinMs + random() * (ceilingMs - retryMinMs);
    const retryInMs = Math.max(jitteredMs, Math.min(verdict, MAX_INTERVAL_MS));
    this.#wait('retrying', retryInMs);
    this.#options.onLost(error, retryInMs);
  }

  #wait(state: 'waiting' | 'retrying', delayMs: number): void {
    this.#cancelTimer?.();
    this.#state = state;
    this.#cancelTimer = this.#options.startTimer(() => {
      this.#cancelTimer = null;
      this.#send();
    }, delayMs);
  }
}

function clampInterval(ms: number): number {
  return Number.isNaN(ms) ? MAX_INTERVAL_MS : Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, ms));
}
