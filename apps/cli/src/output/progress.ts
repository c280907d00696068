import type { Terminal } from './terminal.ts';

/**
 * Progress of something long: one redrawn line with a bar on a terminal; elsewhere a plain line at most every
 * five seconds, so that logs stay readable.
 */
export class Progress {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  readonly #silent: boolean;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  #open = false;

  constructor(terminal: Terminal, options: { now: () => number; silent: boolean }) {
    this.#terminal = terminal;
    this.#now = options.now;
    this.#silent = options.silent;
  }

  /** Shows a state. `done` is a share from 0 to 1, or null when the end is unknown. */
  update(label: string, done: number | null): void {
    if (this.#silent) return;
    const now = this.#now();
    const pauseMs = this.#terminal.interactive ? 100 : 5_000;
    if (now - this.#lastAtMs < pauseMs) return;
    this.#lastAtMs = now;
    const bar = done === null ? '' : ` ${renderBar(done, 24)} ${String(Math.floor(done * 100)).padStart(3)} %`;
    const line = `${label}${bar}`;
    if (this.#terminal.interactive) {
      this.#terminal.err(`\r\u001b[2K${line.slice(0, this.#terminal.columns - 1)}`);
      this.#open = true;
    } else this.#terminal.err(`${line}\n`);
  }

  /** Takes the line away, for whoever writes next. */
  clear(): void {
    if (this.#open) this.#terminal.err('\r\u001b[2K');
    this.#open = false;
    this.#lastAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Ends the line and states the result. */
  finish(line: string): void {
    if (this.#silent) return;
    this.#terminal.err(`${this.#open ? '\r\u001b[2K' : ''}${line}\n`);
    this.#open = false;
    this.#lastAtMs = Number.NEGATIVE_INFINITY;
  }
}

/** `[████░░░░]` for a share from 0 to 1. */
export function renderBar(done: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, done)) * width);
  return `[${'█'.repeat(full)}${'░'.repeat(width - full)}]`;
}
