/**
 * When an agent should not wait for the end of its window with its report (`max-min`): what it wants has changed. Said once
 * for each change, so that a steady fleet, hungry or not, sends no more heartbeats than one a window.
 *
 * - It waits for credits or slots, and did not when it reported last.
 * - It uses far less than it reported last, and than it holds.
 */

/** An agent that waited for this part of a window has told that it is hungry. */
export const TOLD_HUNGRY_FROM = 0.05;
/** A use below this part of what was told, and of what it holds, is news … */
const FALLEN_TO = 0.5;
/** … when it frees at least this part of what it holds. */
const WORTH_TELLING = 0.1;

/** Watches one agent between its reports. */
export class DemandWatch {
  readonly #lookSeconds: number;
  #toldTps: number | null = null;
  #toldHungry = false;
  #waitedS = 0;
  #lookedS = 0;
  #lookedOps = 0;
  #fallen = false;
  #rate = 0;

  /** @param lookSeconds how long a change must last before it counts, > 0. */
  constructor(lookSeconds: number) {
    this.#lookSeconds = lookSeconds;
  }

  /** A window began. */
  begin(): void {
    this.#waitedS = 0;
    this.#look();
    this.#fallen = false;
  }

  /** A report is on its way. */
  told(actualTps: number, hungry: boolean): void {
    this.#toldTps = actualTps;
    this.#toldHungry = hungry;
  }

  /** What happened since the last note. `waits`: something is parked at its end. */
  note(step: { readonly seconds: number; readonly chargedOps: number; readonly waits: boolean }): void {
    if (step.waits) {
      this.#waitedS += step.seconds;
      this.#look();
      return;
    }
    this.#waitedS = 0;
    this.#lookedS += step.seconds;
    this.#lookedOps += step.chargedOps;
    if (this.#lookedS < this.#lookSeconds * (1 - 1e-9)) return;
    this.#fallen = this.#toldTps === null || this.#lookedOps / this.#lookedS < FALLEN_TO * this.#toldTps;
    this.#rate = this.#lookedOps / this.#lookedS;
    this.#look();
  }

  /** @param holdsTps what it runs with. */
  isNews(holdsTps: number): boolean {
    if (this.#waitedS >= this.#lookSeconds * (1 - 1e-9)) return !this.#toldHungry;
    const freedTps = Math.min(holdsTps, this.#toldTps ?? holdsTps) - this.#rate;
    return this.#fallen && this.#rate < FALLEN_TO * holdsTps && freedTps >= WORTH_TELLING * holdsTps;
  }

  /** The rate that fell, when that is the news; undefined otherwise. */
  recentTps(holdsTps: number): number | undefined {
    return this.#fallen && this.#waitedS === 0 && this.isNews(holdsTps) ? this.#rate : undefined;
  }

  #look(): void {
    this.#lookedS = 0;
    this.#lookedOps = 0;
  }
}
