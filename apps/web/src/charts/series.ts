import type { MonitorSeries } from '@weir/protocol';
import { formatPlural } from '../format/numbers.ts';

/** Most agents with a line of their own; the rest are summed up as "others". More lines cannot be told apart. */
export const MAX_AGENT_LINES = 10;

/** Advantage of an agent that already has a line, so that two equal agents do not swap places at each refresh. */
const INCUMBENT_FACTOR = 1.15;

/** Less than this is a rounding error of many figures. */
const NOTICEABLE_TPS = 0.5;

/** One line of the chart. */
export interface ChartLine {
  /** Agent id, or `others`, `peak`, `total`, `limit`, `in-force` with a colon in front (which no id has). */
  key: string;
  label: string;
  kind: 'agent' | 'others' | 'peak' | 'total' | 'limit' | 'in-force';
  /** Slot 0–9 of the agent palette; null for the other kinds, which have colours of their own. */
  colourSlot: number | null;
}

/** What the chart draws. `columns[0]` holds seconds since 1970; `columns[i + 1]` belongs to `lines[i]`. */
export interface ChartData {
  lines: readonly ChartLine[];
  columns: readonly (readonly (number | null)[])[];
  /** Changes exactly when lines come, go or change colour: only then the chart has to be rebuilt. */
  structureKey: string;
}

export const TOTAL_KEY = ':total';
export const LIMIT_KEY = ':limit';
export const IN_FORCE_KEY = ':in-force';
export const OTHERS_KEY = ':others';
export const PEAK_KEY = ':peak';

/**
 * Shapes the samples of the monitor into lines: up to `maxAgentLines` agents by mean TPS, what the total has beyond them as
 * the others, the total and the limit that is set; the peak, where a point is more than one sample; and the limit in force
 * while that is another one. Lines that `previous` had keep their colour, and their place unless another agent is clearly
 * busier.
 * @param previous lines of the last refresh; empty at first
 */
export function chartData(
  series: MonitorSeries,
  previous: readonly ChartLine[] = [],
  maxAgentLines: number = MAX_AGENT_LINES,
): ChartData {
  const slots = new Map(previous.flatMap((line) => (line.colourSlot === null ? [] : [[line.key, line.colourSlot]])));
  const shown = chooseAgents(series.agents, slots, maxAgentLines);
  const colours = assignColours(shown, slots);
  const lines: ChartLine[] = shown.map((agent) => ({
    key: agent.agentId,
    label: agent.name,
    kind: 'agent',
    colourSlot: colours.get(agent.agentId) ?? null,
  }));
  const columns: (readonly (number | null)[])[] = [
    series.atMs.map((atMs) => atMs / 1_000),
    ...shown.map((agent) => agent.actualTps),
  ];
  const others = othersColumn(series.totalTps, shown);
  // Agents that were never seen in this time have no column; one that did nothing is no reason for a line.
  const unseen = series.agentCount > series.agents.length && others.some((tps) => (tps ?? 0) > NOTICEABLE_TPS);
  if (series.agents.length > shown.length || unseen) {
    const count = Math.max(series.agentCount, series.agents.length) - shown.length;
    lines.push({ key: OTHERS_KEY, label: formatPlural(count, 'other'), kind: 'others', colourSlot: null });
    columns.push(others);
  }
  if (series.peakTps.some((tps, point) => tps !== series.totalTps[point])) {
    lines.push({ key: PEAK_KEY, label: 'Peak', kind: 'peak', colourSlot: null });
    columns.push(series.peakTps);
  }
  lines.push(
    { key: TOTAL_KEY, label: 'Total', kind: 'total', colourSlot: null },
    { key: LIMIT_KEY, label: 'Global limit', kind: 'limit', colourSlot: null },
  );
  columns.push(series.totalTps, series.setLimitTps);
  const inForce = series.limitTps.map((tps, point) => (tps === series.setLimitTps[point] ? null : tps));
  if (inForce.some((tps) => tps !== null)) {
    lines.push({ key: IN_FORCE_KEY, label: 'Limit in force', kind: 'in-force', colourSlot: null });
    columns.push(inForce);
  }
  return { lines, columns, structureKey: JSON.stringify(lines.map((line) => [line.key, line.label, line.colourSlot])) };
}

type AgentColumn = MonitorSeries['agents'][number];

/** The busiest agents, in order of their names so that the legend stays where it is. */
function chooseAgents(
  agents: readonly AgentColumn[],
  incumbents: ReadonlyMap<string, number>,
  maxAgentLines: number,
): AgentColumn[] {
  const scored = agents.map((agent) => ({
    agent,
    score: meanOf(agent.actualTps) * (incumbents.has(agent.agentId) ? INCUMBENT_FACTOR : 1),
  }));
  scored.sort((a, b) => b.score - a.score || compareNames(a.agent, b.agent));
  return scored
    .slice(0, maxAgentLines)
    .map(({ agent }) => agent)
    .sort(compareNames);
}

/** `agent-2` before `agent-10`; equal names by id, so that the order never depends on the answer's. */
function compareNames(a: AgentColumn, b: AgentColumn): number {
  return a.name.localeCompare(b.name, 'en', { numeric: true }) || (a.agentId < b.agentId ? -1 : 1);
}

function assignColours(shown: readonly AgentColumn[], slots: ReadonlyMap<string, number>): Map<string, number> {
  const colours = new Map<string, number>();
  const taken = new Set<number>();
  for (const { agentId } of shown) {
    const slot = slots.get(agentId);
    if (slot === undefined || taken.has(slot)) continue;
    colours.set(agentId, slot);
    taken.add(slot);
  }
  let next = 0;
  for (const { agentId } of shown) {
    if (colours.has(agentId)) continue;
    while (taken.has(next)) next += 1;
    colours.set(agentId, next);
    taken.add(next);
  }
  return colours;
}

function meanOf(column: readonly (number | null)[]): number {
  let sum = 0;
  for (const value of column) sum += value ?? 0;
  return column.length === 0 ? 0 : sum / column.length;
}

/** What the total has beyond the agents that are shown; null where nothing was sampled, so that a gap stays a gap. */
function othersColumn(totalTps: readonly (number | null)[], shown: readonly AgentColumn[]): (number | null)[] {
  return totalTps.map((total, index) => {
    if (total === null) return null;
    const known = shown.reduce((sum, agent) => sum + (agent.actualTps[index] ?? 0), 0);
    return Math.max(0, Math.round((total - known) * 100) / 100);
  });
}

/** One figure of the tooltip. */
export interface ChartFigure {
  line: ChartLine;
  tps: number | null;
}

/** Figures at one point: the total first, then its peak, the limit, the one in force if that is another, agents from the busiest down, and the others. */
export function figuresAt(data: ChartData, index: number, hidden: ReadonlySet<string>): ChartFigure[] {
  const rank = { total: 0, peak: 1, limit: 2, 'in-force': 3, agent: 4, others: 5 } as const;
  return data.lines
    .map((line, position) => ({ line, tps: data.columns[position + 1]?.[index] ?? null }))
    .filter(({ line, tps }) => !hidden.has(line.key) && (line.kind !== 'in-force' || tps !== null))
    .sort((a, b) => rank[a.line.kind] - rank[b.line.kind] || (b.tps ?? -1) - (a.tps ?? -1));
}

/** Steps in which the time axis of a young chart grows, as shares of the whole span. */
const YOUNG_SPANS = [1 / 6, 1 / 3, 2 / 3];

/**
 * Time shown on the X axis, in seconds: the whole span once there are samples for it. A young chart shows a part, so that its
 * first points are not squeezed into a corner; it grows in three steps and does not stretch at each refresh.
 * @param spanSeconds from the first point to the last one
 * @param growing false: always the whole span, which somebody has chosen
 */
export function timeRange(data: ChartData, spanSeconds: number, growing = true): [number, number] {
  const times = data.columns[0] ?? [];
  const last = times.at(-1) ?? 0;
  const total = data.columns[data.lines.findIndex((line) => line.key === TOTAL_KEY) + 1] ?? [];
  const first = times[total.findIndex((tps) => tps !== null)] ?? last;
  const share = growing ? YOUNG_SPANS.find((part) => last - first <= part * spanSeconds) : undefined;
  return [last - spanSeconds * (share ?? 1), last];
}

/** A limit of earlier is in sight while it is at most this many times as high as everything else. */
const EARLIER_LIMIT_FACTOR = 2;

/**
 * Top of the Y axis: room above the present limit and above every peak; never 0, which has no scale. A limit of earlier that is
 * much higher does not count: it would press the lines flat for half an hour after it was lowered.
 */
export function topOfScale(data: ChartData, hidden: ReadonlySet<string>): number {
  let highest = 1;
  const limits: (number | null)[] = [];
  for (const [position, line] of data.lines.entries()) {
    if (hidden.has(line.key)) continue;
    const column = data.columns[position + 1] ?? [];
    const isLimit = line.kind === 'limit' || line.kind === 'in-force';
    if (isLimit) limits.push(...column);
    const values = isLimit ? [column.findLast((value) => value !== null)] : column;
    for (const value of values) highest = Math.max(highest, value ?? 0);
  }
  const inSight = highest * EARLIER_LIMIT_FACTOR;
  for (const limit of limits) if (limit !== null && limit <= inSight) highest = Math.max(highest, limit);
  return highest * 1.08;
}

/** Points without a neighbour: a line cannot show them, so they are drawn as dots. */
export function isolatedPoints(column: readonly (number | null | undefined)[]): number[] {
  const isolated: number[] = [];
  for (const [index, value] of column.entries()) {
    const alone = (column[index - 1] ?? null) === null && (column[index + 1] ?? null) === null;
    if (value !== null && value !== undefined && alone) isolated.push(index);
  }
  return isolated;
}
