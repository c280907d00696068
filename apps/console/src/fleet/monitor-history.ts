import { MAX_SERIES_AGENTS, MONITOR_POINTS, type MonitorSeries } from '@weir/protocol';
import type { Sample } from '../ports/history-store.ts';
import { Busiest } from './busiest.ts';
import type { EventLog } from './event-log.ts';
import type { FleetWatch } from './fleet-watch.ts';
import type { LimitTimeline } from './limit-timeline.ts';
import type { LiveAgent } from './live-agent.ts';
import { RunningJudgement } from './running-judgement.ts';

/** What the history consists of beside its samples. */
export interface HistoryParts {
  limits: LimitTimeline;
  events: EventLog;
  watch: FleetWatch;
}

/** The last 60 windows, as the monitor's chart shows them, and what happened in them. */
export class MonitorHistory {
  readonly limits: LimitTimeline;
  readonly events: EventLog;
  readonly watch: FleetWatch;
  /** Use of the budget where it takes a pass over the fleet, whoever asks. */
  readonly judgement: RunningJudgement<LiveAgent> = new RunningJudgement();
  readonly #windowMs: number;
  /** By window slot: time ÷ window length. */
  readonly #samples = new Map<number, Sample>();

  constructor(windowMs: number, samples: readonly Sample[], parts: HistoryParts) {
    this.#windowMs = windowMs;
    this.limits = parts.limits;
    this.events = parts.events;
    this.watch = parts.watch;
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
  series(nowMs: number, fleet: NamedAgents): MonitorSeries {
    const current = this.slotOf(nowMs);
    const last = this.#samples.has(current) ? current : current - 1;
    const slots = Array.from({ length: MONITOR_POINTS }, (_, index) => last - MONITOR_POINTS + 1 + index);
    const samples = slots.map((slot) => this.#samples.get(slot));
    return seriesOf(
      slots.map((slot, index) => ({ ...(samples[index] ?? EMPTY), atMs: slot * this.#windowMs })),
      fleet,
    );
  }
}

/** Agents by what a chart calls them. */
export interface NamedAgents {
  readonly size: number;
  /** All of them, in the order of their lines; looked at only when few enough to be shown. */
  all(): readonly { agentId: string; name: string }[];
  /** The name of one; undefined: it is none of them. */
  nameOf(agentId: string): string | undefined;
}

/** A point of the chart: a sample or a bucket of samples. */
export interface SeriesPoint {
  atMs: number;
  limitTps: number | null;
  setLimitTps: number | null;
  totalTps: number | null;
  /** Highest total within the point; absent: the total itself. */
  peakTps?: number | null;
  agents: readonly { agentId: string; actualTps: number }[];
}

const EMPTY: Omit<SeriesPoint, 'atMs'> = { limitTps: null, setLimitTps: null, totalTps: null, agents: [] };

/** Points as columns: all agents, or the busiest where they are too many. */
export function seriesOf(points: readonly SeriesPoint[], fleet: NamedAgents): MonitorSeries {
  const columns = new Map<string, (number | null)[]>();
  const sums = new Map<string, number>();
  for (const [index, point] of points.entries()) {
    for (const { agentId, actualTps } of point.agents) {
      const column = columns.get(agentId) ?? points.map(() => null);
      column[index] = rounded(actualTps);
      columns.set(agentId, column);
      sums.set(agentId, (sums.get(agentId) ?? 0) + actualTps);
    }
  }
  const shown = fleet.size <= MAX_SERIES_AGENTS ? fleet.all() : busiestOf(sums, fleet);
  return {
    atMs: points.map((point) => point.atMs),
    limitTps: points.map((point) => point.limitTps),
    setLimitTps: points.map((point) => point.setLimitTps),
    totalTps: points.map((point) => nullOr(point.totalTps)),
    peakTps: points.map((point) => nullOr(point.peakTps === undefined ? point.totalTps : point.peakTps)),
    agents: shown.map(({ agentId, name }) => ({
      agentId,
      name,
      actualTps: columns.get(agentId) ?? points.map(() => null),
    })),
    agentCount: fleet.size,
  };
}

function busiestOf(sums: ReadonlyMap<string, number>, fleet: NamedAgents): { agentId: string; name: string }[] {
  const busiest = new Busiest<{ agentId: string; name: string }>(MAX_SERIES_AGENTS);
  for (const [agentId, sum] of sums) {
    const name = fleet.nameOf(agentId);
    if (name !== undefined) busiest.add({ agentId, name }, sum);
  }
  return busiest.list;
}

function nullOr(tps: number | null): number | null {
  return tps === null ? null : rounded(tps);
}

/** Two decimals: more cost bytes and show nothing. */
function rounded(tps: number): number {
  return Math.round(tps * 100) / 100;
}
