import type { MonitorSeries } from '@weir/protocol';

/** Most agents with a line of their own; the rest are summed up as "others". More lines cannot be told apart. */
export const MAX_AGENT_LINES = 10;

/** Advantage of an agent that already has a line, so that two equal agents do not swap places at each refresh. */
const INCUMBENT_FACTOR = 1.15;

/** One line of the chart. */
export interface ChartLine {
  /** Agent id, or `others`, `total`, `limit` with a colon in front (which no id has). */
  key: string;
  label: string;
  kind: 'agent' | 'others' | 'total' | 'limit';
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
export const OTHERS_KEY = ':others';

/**
 * Shapes the samples of the monitor into lines: up to `maxAgentLines` agents by mean TPS, the others as one sum, the
 * total and the limit. Lines that `previous` had keep their colour, and their place unless another agent is clearly
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
  const shownIds = new Set(shown.map((agent) => agent.agentId));
  const rest = series.agents.filter((agent) => !shownIds.has(agent.agentId));
  if (rest.length > 0) {
    lines.push({ key: OTHERS_KEY, label: `${rest.length} others`, kind: 'others', colourSlot: null });
    columns.push(sumColumns(rest, series.atMs.length));
  }
  lines.push(
    { key: TOTAL_KEY, label: 'Total', kind: 'total', colourSlot: null },
    { key: LIMIT_KEY, label: 'Global limit', kind: 'limit', colourSlot: null },
  );
  columns.push(series.totalTps, series.limitTps);
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

/** Sum per point; null where no agent has a value, so that a gap stays a gap. */
function sumColumns(agents: readonly AgentColumn[], points: number): (number | null)[] {
  return Array.from({ length: points }, (_, index) => {
    let sum: number | null = null;
    for (const agent of agents) {
      const value = agent.actualTps[index];
      if (value !== null && value !== undefined) sum = (sum ?? 0) + value;
    }
    return sum;
  });
}

/** One figure of the tooltip. */
export interface ChartFigure {
  line: ChartLine;
  tps: number | null;
}

/** Figures at one point: the total first, then the limit, then agents from the busiest down. */
export function figuresAt(data: ChartData, index: number, hidden: ReadonlySet<string>): ChartFigure[] {
  const rank = { total: 0, limit: 1, agent: 2, others: 3 } as const;
  return data.lines
    .map((line, position) => ({ line, tps: data.columns[position + 1]?.[index] ?? null }))
    .filter(({ line }) => !hidden.has(line.key))
    .sort((a, b) => rank[a.line.kind] - rank[b.line.kind] || (b.tps ?? -1) - (a.tps ?? -1));
}

/**
 * Time shown on the X axis, in seconds: always the whole span (30 minutes), so that a young chart fills from the right
 * and does not stretch at each refresh.
 * @param spanSeconds points × window
 */
export function timeRange(data: ChartData, spanSeconds: number): [number, number] {
  const last = data.columns[0]?.at(-1) ?? 0;
  return [last - spanSeconds, last];
}

/**
 * Top of the Y axis: room above the present limit and above every peak; never 0, which has no scale. A higher limit of
 * earlier does not count: it would press the lines flat for half an hour after it was lowered.
 */
export function topOfScale(data: ChartData, hidden: ReadonlySet<string>): number {
  let highest = 1;
  for (const [position, line] of data.lines.entries()) {
    if (hidden.has(line.key)) continue;
    const column = data.columns[position + 1] ?? [];
    const values = line.kind === 'limit' ? [column.findLast((value) => value !== null)] : column;
    for (const value of values) highest = Math.max(highest, value ?? 0);
  }
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
