/**
 * The limit of the fleet when a cluster asks for less: additive increase, multiplicative decrease (AIMD; Chiu and Jain
 * 1989), between a floor and the limit that was set. A SlowDown lowers the limit by 30 %, at most once a window, because
 * agents need a window to follow; each window without one raises it by 5 % of the set limit.
 */

/** What is left of the limit after a SlowDown. */
const LOWERED_TO = 0.7;
/** What a quiet window gives back, as a part of the set limit. */
const RAISED_BY = 0.05;

/** Where the limit stands, and since when. Times in ms of one steady clock. */
export class FleetLimit {
  readonly #windowMs: number;
  #setTps: number;
  #floorTps: number | null;
  #part = 1;
  #loweredAtMs: number = Number.NEGATIVE_INFINITY;
  #raisedAtMs = 0;

  /** @param settings.floorTps lowest limit in TPS; null: SlowDowns change nothing. */
  constructor(windowMs: number, settings: { setTps: number; floorTps: number | null }) {
    this.#windowMs = windowMs;
    this.#setTps = settings.setTps;
    this.#floorTps = settings.floorTps;
  }

  /** Another limit was set. How far it is lowered stays, as a part of it. */
  configure(settings: { setTps: number; floorTps: number | null }): void {
    this.#setTps = settings.setTps;
    this.#floorTps = settings.floorTps;
    if (settings.floorTps === null) this.#part = 1;
  }

  /** A server asked an agent for less. */
  slowDown(nowMs: number): void {
    if (this.#floorTps === null) return;
    this.#raise(nowMs);
    if (nowMs - this.#loweredAtMs < this.#windowMs) return;
    const lowest = Math.min(1, this.#floorTps / this.#setTps);
    this.#part = Math.min(this.#part, Math.max(lowest, this.#part * LOWERED_TO));
    this.#loweredAtMs = nowMs;
    this.#raisedAtMs = nowMs;
  }

  /** The limit now, in whole TPS. */
  limitTps(nowMs: number): number {
    this.#raise(nowMs);
    return this.#part === 1 ? this.#setTps : Math.max(1, Math.round(this.#setTps * this.#part));
  }

  #raise(nowMs: number): void {
    if (this.#part === 1) return;
    const windows = Math.floor((nowMs - this.#raisedAtMs) / this.#windowMs);
    if (windows <= 0) return;
    this.#part = Math.min(1, this.#part + windows * RAISED_BY);
    this.#raisedAtMs += windows * this.#windowMs;
  }
}
