import type { GrantEvent } from './watch-grants.ts';

/** One window of one agent, as the agent saw it. */
export interface SeenWindow {
  readonly agent: string;
  readonly epoch: string;
  readonly windowNumber: number;
  readonly creditBudget: number;
  readonly grantedAtMs: number;
  /** When nothing could be charged against it any more, in ms; infinite while it lives. */
  readonly endedAtMs: number;
  /** What the agent reported; null when it never did. */
  readonly chargedOps: number | null;
}

/** Most credits that were live at one instant. */
export interface MostLive {
  readonly credits: number;
  /** 0 when nothing was granted. */
  readonly atMs: number;
  readonly windows: readonly SeenWindow[];
}

/** Keeps what the agents of a fleet saw, and says whether it was too much. */
export class GrantBook {
  readonly #windows = new Map<string, SeenWindow>();

  /** Repeated grants and reports of a window count once: the first is what the agent runs under. */
  note(event: GrantEvent): void {
    const { agent, epoch, windowNumber } = event;
    const key = `${agent} ${epoch} ${windowNumber}`;
    const known = this.#windows.get(key);
    if (event.type === 'granted') {
      const { creditBudget, atMs, untilMs } = event;
      if (known !== undefined) return;
      const window = { agent, epoch, windowNumber, creditBudget, grantedAtMs: atMs, endedAtMs: untilMs };
      this.#windows.set(key, { ...window, chargedOps: null });
    } else if (known !== undefined && known.chargedOps === null) {
      const endedAtMs = Math.min(known.endedAtMs, event.atMs);
      this.#windows.set(key, { ...known, endedAtMs, chargedOps: event.chargedOps });
    }
  }

  /** All windows with credits, in the order in which they were granted. */
  windows(): SeenWindow[] {
    return [...this.#windows.values()].sort((a, b) => a.grantedAtMs - b.grantedAtMs);
  }

  /** When an agent was granted credits again after `atMs`; infinite: never. */
  grantedAfterMs(agent: string, atMs: number): number {
    const next = this.windows().find(
      (each) => each.agent === agent && each.grantedAtMs > atMs && each.creditBudget > 0,
    );
    return next?.grantedAtMs ?? Number.POSITIVE_INFINITY;
  }

  /** The instant at which the most credits were live together. */
  mostLive(): MostLive {
    let live: SeenWindow[] = [];
    let most: MostLive = { credits: 0, atMs: 0, windows: [] };
    for (const window of this.windows()) {
      live = live.filter(({ endedAtMs }) => endedAtMs > window.grantedAtMs);
      live.push(window);
      const credits = live.reduce((sum, { creditBudget }) => sum + creditBudget, 0);
      if (credits > most.credits) most = { credits, atMs: window.grantedAtMs, windows: live };
    }
    return most;
  }

  /** Windows in which more was charged than their budget. */
  overcharged(): SeenWindow[] {
    return this.windows().filter(({ chargedOps, creditBudget }) => chargedOps !== null && chargedOps > creditBudget);
  }
}
