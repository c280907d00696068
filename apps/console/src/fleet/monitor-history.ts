import { MONITOR_POINTS, type MonitorSeries } from '@weir/protocol';
import type { Sample } from '../ports/history-store.ts';

/** The last 60 windows, as the monitor's chart shows them. */
export class MonitorHistory {
  readonly #windowMs: number;
  /** By window slot: time ÷ window length. */
  readonly #samples = new Map<number, Sample>();

  constructor(windowMs: number, samples: readonly Sample[]) {
    this.#windowMs = windowMs;
    for (const sample of samples) this.add(sample);
  }

  /** Slot of a moment. */
  slotOf(atMs: number): number {
    return Math.floor(atMs / this.#windowMs);
  }

  /** Adds the sample of a window; what is older than 60 windows goes. */
  add(sample: Sample): void {
    const slot = this.slotOf(sample.atMs);
    this.#samples.set(slot, sample);
    for (const old of this.#samples.keys()) if (old <= slot - MONITOR_POINTS) this.#samples.delete(old);
  }

  /** 60 points that end with the newest sample not after `nowMs`; null where nothing was sampled or an agent was away. */
  series(nowMs: number, agents: readonly { agentId: string; name: string }[]): MonitorSeries {
    const current = this.slotOf(nowMs);
    const last = this.#samples.has(current) ? current : current - 1;
    const slots = Array.from({ length: MONITOR_POINTS }, (_, index) => last - MONITOR_POINTS + 1 + index);
    const samples = slots.map((slot) => this.#samples.get(slot));
    const byAgent = samples.map((sample) => new Map(sample?.agents.map((agent) => [agent.agentId, agent.actualTps])));
    return {
      atMs: slots.map((slot) => slot * this.#windowMs),
      limitTps: samples.map((sample) => sample?.limitTps ?? null),
      totalTps: samples.map((sample) => sample?.totalTps ?? null),
      agents: agents.map(({ agentId, name }) => ({
        agentId,
        name,
        actualTps: byAgent.map((values) => values.get(agentId) ?? null),
      })),
    };
  }
}
