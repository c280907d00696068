import type { ConsoleSelf, HeardConsole, RosterStore, Said } from '../../src/ports/roster.ts';
import { LISTED_FOR_MS } from '../../src/presence/presence-times.ts';

/** The list of a group's consoles, as Redis keeps it, which tests cut off, fill and take away. */
export class SimulatedRoster implements RosterStore {
  readonly #nowMs: () => number;
  readonly #heard = new Map<string, { console: ConsoleSelf; said: Said; atMs: number }>();
  readonly #cutOff = new Set<string>();
  /** What it says to everything; null: it answers. */
  refusal: string | null = null;
  /** Whether it refuses to write. */
  full = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** From now on nothing of this console arrives. */
  cutOff(consoleId: string): void {
    this.#cutOff.add(consoleId);
  }

  async put(console: ConsoleSelf, said: Said): Promise<void> {
    this.#answer();
    if (this.full) throw new Error('OOM');
    if (this.#cutOff.has(console.consoleId)) throw new Error('cut off');
    this.#heard.set(console.consoleId, { console, said, atMs: this.#nowMs() });
  }

  async list(): Promise<HeardConsole[]> {
    this.#answer();
    const listed: HeardConsole[] = [];
    for (const { console, said, atMs } of this.#heard.values()) {
      const silentMs = this.#nowMs() - atMs;
      if (silentMs <= LISTED_FOR_MS) listed.push({ ...console, ...said, silentMs });
    }
    return listed;
  }

  async remove(consoleId: string): Promise<void> {
    this.#answer();
    this.#heard.delete(consoleId);
  }

  #answer(): void {
    if (this.refusal !== null) throw new Error(this.refusal);
  }
}
