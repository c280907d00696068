import { DemandWatch, TOLD_HUNGRY_FROM, type CreditWindow, type WindowReport } from '@weir/governor';
import type { StartTimer } from './heartbeat-loop.ts';

/** How long a change must last before it is told, in s. */
const LOOK_SECONDS = 2;
/** In windows that are shorter than thirty seconds, this part of them. */
const LOOK_PART = 1 / 15;
/** Looks at a change before it counts. */
const LOOKS = 2;

/**
 * Looks, while a window runs, whether the agent wants much more or much less than it told last, and asks for a heartbeat
 * then. One timer of about a second per agent, and only when the console asked for it.
 */
export class ChangeReporter {
  readonly #window: () => CreditWindow;
  readonly #now: () => number;
  readonly #startTimer: StartTimer;
  readonly #onChange: () => void;
  #watch: DemandWatch | null = null;
  #lookSeconds = 0;
  #holdsTps = 0;
  #seenOps = 0;
  #seenAtMs = 0;
  #cancelTimer: (() => void) | null = null;

  constructor(options: {
    window: () => CreditWindow;
    now: () => number;
    startTimer: StartTimer;
    onChange: () => void;
  }) {
    this.#window = options.window;
    this.#now = options.now;
    this.#startTimer = options.startTimer;
    this.#onChange = options.onChange;
  }

  /** A window began. */
  begin(grant: { readonly allocatedTps: number; readonly windowSeconds: number }): void {
    this.end();
    // The rest of a window that was settled early is short; the windows are not.
    const lookSeconds = Math.max(this.#lookSeconds, Math.min(LOOK_SECONDS, grant.windowSeconds * LOOK_PART));
    if (this.#watch === null || lookSeconds > this.#lookSeconds) this.#watch = new DemandWatch(lookSeconds);
    this.#lookSeconds = lookSeconds;
    this.#holdsTps = grant.allocatedTps;
    this.#watch.begin();
    this.#seenOps = 0;
    this.#seenAtMs = this.#now();
    this.#wait();
  }

  /** Nothing is watched any more. */
  end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  /** The window ended with this report. @returns the rate of its last seconds, when it has fallen. */
  told(report: WindowReport): number | undefined {
    this.end();
    const watch = this.#watch;
    if (watch === null) return undefined;
    const recentTps = watch.recentTps(this.#holdsTps);
    const waitedMs = report.exhaustedMs + report.pacedMs;
    watch.told(recentTps ?? report.actualTps, waitedMs >= TOLD_HUNGRY_FROM * report.windowMs);
    return recentTps;
  }

  #wait(): void {
    this.#cancelTimer = this.#startTimer(() => this.#look(), (this.#lookSeconds * 1_000) / LOOKS);
  }

  #look(): void {
    this.#cancelTimer = null;
    const window = this.#window();
    const watch = this.#watch;
    if (window.mode !== 'enforced' || watch === null) return;
    const now = this.#now();
    const seconds = Math.max(0.001, (now - this.#seenAtMs) / 1_000);
    watch.note({ seconds, chargedOps: window.chargedOps - this.#seenOps, waits: window.parkedOps > 0 });
    this.#seenOps = window.chargedOps;
    this.#seenAtMs = now;
    if (watch.isNews(this.#holdsTps)) this.#onChange();
    else this.#wait();
  }
}
