import type { StartTimer } from './heartbeat-loop.ts';

/** How long a program must be without work before that is told, and least time between two such news, in ms. */
const LASTS_MS = 1_000;

/**
 * Decides when the console has to learn, before the next heartbeat is due, that a program works again or no longer:
 *
 *   as told ──work begins──▶ told at once (1 s after the last news at the earliest) ──▶ as told
 *      │ ▲
 *      │ └──────── works again within 1 s: nothing is told
 *      └──work ends──▶ ending ──1 s later──▶ told ──▶ as told
 *
 * So a program that has work now and then, a request at a time, does not send a heartbeat for each.
 */
export class WorkNews {
  readonly #works: () => boolean;
  readonly #now: () => number;
  readonly #startTimer: StartTimer;
  readonly #onNews: () => void;
  #told: boolean | null = null;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | null = null;

  constructor(options: { works: () => boolean; now: () => number; startTimer: StartTimer; onNews: () => void }) {
    this.#works = options.works;
    this.#now = options.now;
    this.#startTimer = options.startTimer;
    this.#onNews = options.onNews;
  }

  /** A heartbeat tells whether there is work. */
  told(works: boolean): void {
    if (works !== this.#told) this.#toldAtMs = this.#now();
    this.#told = works;
  }

  /** There may be work now, or none any more. */
  changed(): void {
    const works = this.#works();
    if (works === this.#told) {
      this.end();
      return;
    }
    if (this.#cancelTimer !== null) return;
    const waitMs = works ? this.#toldAtMs + LASTS_MS - this.#now() : LASTS_MS;
    if (waitMs <= 0) this.#onNews();
    else this.#cancelTimer = this.#startTimer(() => this.#due(), waitMs);
  }

  /** Nothing is to be told. */
  end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #due(): void {
    this.#cancelTimer = null;
    if (this.#works() !== this.#told) this.#onNews();
  }
}
