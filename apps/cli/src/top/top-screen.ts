import type { MonitorRow, MonitorView } from '@weir/protocol';
import { formatCount, formatDuration, formatPercent } from '../output/figures.ts';
import { renderBar } from '../output/progress.ts';
import { sparkline } from '../output/sparkline.ts';
import { fit } from './text-cells.ts';
import { clampOffset, sortRows, type SortKey, type TopState } from './top-state.ts';

/** Everything that a picture of the monitor is made of. */
export interface TopPicture {
  view: MonitorView;
  consoleUrl: string;
  state: TopState;
  columns: number;
  /** Lines of the terminal; null: as many as there is to say. */
  lines: number | null;
  colours: boolean;
  latencyMs: number;
  /** Time of the viewer, in ms since 1970. */
  nowMs: number;
  /** When the next refresh is due; null: never. */
  nextAtMs: number | null;
  /** What went wrong with the latest refresh; null: nothing. The figures are then of the one before. */
  problem: string | null;
}

type Colour = 'green' | 'amber' | 'red' | 'gray' | 'bold';
const CODES: Readonly<Record<Colour, string>> = { green: '32', amber: '33', red: '31', gray: '90', bold: '1' };

/** Lines above the first agent and below the last one. */
const HEAD_LINES = 8;
const FOOT_LINES = 1;

/** Agents that fit on a screen of this many lines. */
export function pageOf(lines: number, alarms: number): number {
  return Math.max(1, lines - HEAD_LINES - alarms - FOOT_LINES);
}

/** The monitor as lines of a terminal, none longer than it is wide. */
export function renderTop(picture: TopPicture): string[] {
  const { view, state, columns, lines } = picture;
  const paint = painter(picture.colours);
  const rows = sortRows(view.rows, state.sort);
  const page = lines === null ? rows.length : pageOf(lines, view.activeAlarms.length);
  const offset = clampOffset(state.offset, rows.length, page);
  const shown = rows.slice(offset, offset + page);
  const table = tableColumns(columns);
  return [
    headLine(picture, paint),
    ...totals(picture, paint),
    ...view.activeAlarms.map((alarm) =>
      paint('amber', fit(`! ${alarm.code} ${alarm.title}, peak ${formatPercent(alarm.peakValue)}`, columns)),
    ),
    '',
    paint('bold', table.map(({ title, width, align }) => fit(title, width, align)).join(' ')),
    ...shown.map((row) =>
      table
        .map(({ cell, width, align, colour }) => paint(colour(row), fit(cell(row, picture.nowMs), width, align)))
        .join(' '),
    ),
    ...(lines === null ? [] : [paint('gray', fit(footLine(state.sort, offset, shown.length, rows.length), columns))]),
  ];
}

function headLine(picture: TopPicture, paint: Painter): string {
  const { columns, problem, latencyMs, nextAtMs, nowMs, consoleUrl } = picture;
  const next = nextAtMs === null ? '' : ` · next in ${Math.max(0, Math.ceil((nextAtMs - nowMs) / 1_000))} s`;
  const right = problem === null ? `${latencyMs} ms${next}` : `no answer${next}`;
  const left = `Weir TPS Monitor · ${consoleUrl}`;
  const room = columns - right.length - 1;
  if (room < 16) return paint('bold', fit(left, columns));
  return `${paint('bold', fit(left, room))} ${paint(problem === null ? 'gray' : 'red', right)}`;
}

function totals({ view, columns, problem }: TopPicture, paint: Painter): string[] {
  if (!view.limiterEnabled) {
    return ['', paint('amber', fit('TPS rate limiting is off: agents run unthrottled.', columns)), '', ''];
  }
  const band = view.registeredAgents === 0 ? 'gray' : bandOf(view.utilizationPercent);
  const total = `${formatRate(view.totalActualTps)} / ${formatCount(view.globalLimitTps)} TPS`;
  const bar = columns >= 60 ? ` ${renderBar(view.utilizationPercent / 100, 20)}` : '';
  const values = view.series.totalTps.map((tps) => tps ?? 0);
  const top = Math.max(view.globalLimitTps, ...values);
  const label = ` last ${formatDuration(values.length * view.windowSeconds * 1_000).replace(/ 0 s$/, '')}`;
  return [
    paint('red', fit(problem === null ? '' : `${problem} The figures below are of the last answer.`, columns)),
    paint(band, fit(`Total        ${total}`, columns)),
    paint(band, fit(`Utilization  ${formatPercent(view.utilizationPercent)}${bar}`, columns)),
    fit(`Agents       ${agentsLine(view)} · ${view.totalMbps.toFixed(1)} Mbps`, columns),
    paint('gray', fit(sparkline(values, Math.max(1, Math.min(60, columns - label.length)), top) + label, columns)),
  ];
}

/** How many agents there are, and which rows stand below: those of agents, as many as the console lists, and its own. */
function agentsLine({ runningAgents, registeredAgents, rows }: MonitorView): string {
  const listed = rows.filter(({ kind }) => kind === 'agent').length;
  const which = listed < registeredAgents ? `, ${formatCount(listed)} listed below` : '';
  const itself = rows.length > listed ? ', and the console' : '';
  return `${formatCount(runningAgents)} running / ${formatCount(registeredAgents)} registered${which}${itself}`;
}

interface TableColumn {
  title: string;
  width: number;
  align: 'left' | 'right';
  cell: (row: MonitorRow, nowMs: number) => string;
  colour: (row: MonitorRow) => Colour | null;
}

const FIGURES: readonly TableColumn[] = [
  {
    title: 'Status',
    width: 13,
    align: 'left',
    cell: statusOf,
    colour: (row) =>
      row.holdoffUntilMs !== null || !row.throttled ? 'amber' : row.status === 'running' ? 'green' : 'gray',
  },
  {
    title: 'Allocated TPS',
    width: 13,
    align: 'right',
    cell: (row) => formatRate(row.allocatedTps),
    colour: () => null,
  },
  {
    title: 'Actual TPS',
    width: 10,
    align: 'right',
    cell: (row) => formatRate(row.actualTps),
    colour: efficiencyColour,
  },
  {
    title: 'Efficiency %',
    width: 12,
    align: 'right',
    cell: (row) => (row.efficiencyPercent === null ? '-' : formatPercent(row.efficiencyPercent)),
    colour: efficiencyColour,
  },
  { title: 'Actual Mbps', width: 11, align: 'right', cell: (row) => row.actualMbps.toFixed(1), colour: () => null },
];

/** Narrow terminals lose columns from the right; the name takes what is left. */
function tableColumns(columns: number): TableColumn[] {
  const figures = [...FIGURES];
  const taken = (): number => figures.reduce((sum, { width }) => sum + width + 1, 0);
  while (figures.length > 1 && columns - taken() < 12) figures.pop();
  const width = Math.max(4, Math.min(40, columns - taken()));
  const name: TableColumn = {
    title: 'Agent',
    width,
    align: 'left',
    cell: (row) => (row.kind === 'console' ? `(${row.name})` : row.name),
    colour: (row) => (row.kind === 'console' ? 'gray' : null),
  };
  return columns - taken() < 4 ? [{ ...name, width: columns }] : [name, ...figures];
}

function statusOf(row: MonitorRow, nowMs: number): string {
  if (row.holdoffUntilMs !== null) return `Holdoff ${Math.max(0, Math.ceil((row.holdoffUntilMs - nowMs) / 1_000))} s`;
  if (!row.online) return 'Offline';
  if (!row.throttled) return 'Unthrottled';
  return row.status === 'running' ? 'Running' : 'Idle';
}

function efficiencyColour(row: MonitorRow): Colour | null {
  return row.efficiencyPercent === null || row.actualTps === 0 ? null : bandOf(row.efficiencyPercent);
}

/** As on the page: green below 80 %, amber from 80 to 95 %, red above. */
function bandOf(percent: number): Colour {
  if (percent < 80) return 'green';
  return percent <= 95 ? 'amber' : 'red';
}

function formatRate(tps: number): string {
  return tps >= 10 || Number.isInteger(tps) ? formatCount(tps) : tps.toFixed(1);
}

function footLine(sort: SortKey, offset: number, shown: number, all: number): string {
  const part = shown < all ? ` · rows ${offset + 1}–${offset + shown} of ${all}, arrows scroll` : '';
  return `q end · r refresh · s sort (${sort})${part}`;
}

type Painter = (colour: Colour | null, text: string) => string;

function painter(colours: boolean): Painter {
  return (colour, text) => (colours && colour !== null ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text);
}
