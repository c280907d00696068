import type { Clock, Timer } from '../../src/ports/clock.ts';

interface Due {
  atMs: number;
  order: number;
  run: () => void;
}

/** A clock that stands still until a test moves it. Both readings move together unless the wall clock is set. */
export class FakeClock implements Clock {
  #steadyMs = Date.parse('2026-11-30T12:00:00Z');
  #wallOffsetMs = 0;
  #order = 0;
  readonly #timers = new Set<Due>();
  readonly #settled: () => Promise<void>;

  /** @param whenSettled resolves when everything has happened that can without time passing; default: after some turns */
  constructor(whenSettled: () => Promise<void> = settled) {
    this.#settled = whenSettled;
  }

  nowMs(): number {
    return this.#steadyMs + this.#wallOffsetMs;
  }

  steadyMs(): number {
    return this.#steadyMs;
  }

  /** Timers that are set. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Somebody sets the wall clock. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const due: Due = { atMs: this.#steadyMs + Math.max(0, delayMs), order: (this.#order += 1), run };
    this.#timers.add(due);
    return { cancel: () => void this.#timers.delete(due) };
  }

  /** Lets time pass: timers run when they are due, and what they set going is finished before the next one. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#steadyMs + ms;
    await this.#settled();
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs || a.order - b.order);
      if (next === undefined || next.atMs > untilMs) break;
      this.#timers.delete(next);
      this.#steadyMs = Math.max(this.#steadyMs, next.atMs);
      next.run();
      await this.#settled();
    }
    this.#steadyMs = untilMs;
  }
}

/** Everything that can happen without time passing has happened: several turns of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
