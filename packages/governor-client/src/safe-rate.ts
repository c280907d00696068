import type { CreditWindow } from '@weir/governor';

/** Marks grants that an agent makes for itself; a console's epoch never looks like it. */
const SAFE_EPOCH = '(safe)';
/** A safe window is paced, so its budget only has to outlast the loss of a console. */
const SAFE_WINDOW_SECONDS = 30 * 86_400;
const DEFAULT_BURST_SECONDS = 0.05;

/**
 * Goes on at a safe rate while no console answers, when the settings allow it: always paced, never a burst. What is charged
 * so is counted apart, because no console granted it, and told with the first heartbeat that is answered.
 */
export class SafeRate {
  readonly #window: () => CreditWindow;
  #active = false;
  #windows = 0;
  #untoldOps = 0;

  constructor(window: () => CreditWindow) {
    this.#window = window;
  }

  get active(): boolean {
    return this.#active;
  }

  /** Operations charged in safe windows that have ended and no console has heard of. */
  get untoldOps(): number {
    return this.#untoldOps;
  }

  /** Opens a closed window at this rate; one that is open already stays as it is. */
  begin(tps: number, burstSeconds: number = DEFAULT_BURST_SECONDS): boolean {
    if (this.#active || this.#window().mode !== 'closed') return false;
    this.#active = true;
    this.#windows += 1;
    this.#window().grant(
      {
        epoch: SAFE_EPOCH,
        windowNumber: this.#windows,
        windowSeconds: SAFE_WINDOW_SECONDS,
        allocatedTps: tps,
        creditBudget: Math.floor(tps * SAFE_WINDOW_SECONDS),
      },
      { pacing: { burstSeconds } },
    );
    return true;
  }

  /** A console answers again, or nothing may run: closes the window. Harmless when it is not active. */
  end(): void {
    if (!this.#active) return;
    this.#active = false;
    this.#untoldOps += this.#window().endWindow()?.chargedOps ?? 0;
  }

  /** A console has been told of so many. */
  told(ops: number): void {
    this.#untoldOps -= ops;
  }
}
