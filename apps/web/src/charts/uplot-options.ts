import type uPlot from 'uplot';
import { formatCompact } from '../format/numbers.ts';
import { formatTick, spanSeconds, type ChartSpan } from './chart-span.ts';
import { isolatedPoints, timeRange, topOfScale, type ChartData, type ChartLine } from './series.ts';

/** What the options read anew at each draw, so that fresh data needs no new chart. */
export interface ChartContext {
  data: ChartData;
  hidden: ReadonlySet<string>;
  span: ChartSpan;
  /** The point under the cursor and its place in the plot; null: the cursor is elsewhere. */
  onPoint: (index: number | null, leftPx: number) => void;
}

/** Width kept for the figures of the Y axis, in px: fixed, so that the plot does not move when they grow. */
const Y_AXIS_PX = 52;

/** Steps of the time axis: whole minutes, so that no two ticks have the same words. */
const TICK_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1_440, 2_880, 10_080].map(
  (minutes) => minutes * 60,
);

/** Options of uPlot for one structure of lines. */
export function uplotOptions(
  size: { width: number; height: number },
  context: () => ChartContext,
  colours: (token: string) => string,
): uPlot.Options {
  const axis = {
    stroke: colours('--text-soft'),
    font: `12px ${colours('--font-sans')}`,
    grid: { stroke: colours('--chart-grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    ...size,
    // Above: room for the marks of events.
    padding: [26, 22, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 7, width: 2 },
    },
    scales: {
      x: { time: true, range: () => timeRange(context().data, spanSeconds(context().span), context().span.growing) },
      y: { range: () => [0, topOfScale(context().data, context().hidden)] },
    },
    axes: [
      {
        ...axis,
        space: 64,
        size: 28,
        incrs: TICK_SECONDS,
        values: (_, splits) => splits.map((seconds) => formatTick(seconds * 1_000, context().span)),
      },
      { ...axis, size: Y_AXIS_PX, space: 36, values: (_, splits) => splits.map((tps) => formatCompact(tps)) },
    ],
    series: [
      { label: 'Time' },
      ...context().data.lines.map((line) => seriesOf(line, colours, !context().hidden.has(line.key))),
    ],
    hooks: {
      setCursor: [(plot) => reportPoint(plot, context().onPoint)],
    },
  };
}

/** The place of the point itself, not of the cursor: moving between two points then changes nothing. */
function reportPoint(plot: uPlot, onPoint: ChartContext['onPoint']): void {
  const index = plot.cursor.idx ?? null;
  const seconds = index === null || (plot.cursor.left ?? -1) < 0 ? undefined : plot.data[0][index];
  if (seconds === undefined) onPoint(null, -1);
  else onPoint(index, Math.round(plot.valToPos(seconds, 'x')));
}

const WIDTHS: Partial<Record<ChartLine['kind'], number>> = { total: 2.75, limit: 1.75, 'in-force': 1.75 };

/** Limits are dashed, and in steps: one holds until it is changed, it never slides. */
const DASHES: Partial<Record<ChartLine['kind'], Partial<uPlot.Series>>> = {
  limit: { dash: [7, 5], paths: (plot, series, first, last) => drawLimit(plot, series, first, last, false) },
  'in-force': { dash: [9, 3, 2, 3], paths: (plot, series, first, last) => drawLimit(plot, series, first, last, true) },
  peak: { dash: [2, 3] },
};

function seriesOf(line: ChartLine, colours: (token: string) => string, show: boolean): uPlot.Series {
  const stroke = colours(lineToken(line));
  return {
    label: line.label,
    show,
    scale: 'y',
    stroke,
    width: WIDTHS[line.kind] ?? 1.5,
    ...DASHES[line.kind],
    points: {
      show: line.kind !== 'in-force',
      size: line.kind === 'total' ? 6 : 4,
      fill: stroke,
      filter: (plot, index) => isolatedPoints(Array.from(plot.data[index] ?? [])),
    },
  };
}

/**
 * Levels with risers between them. A level above the scale, such as a limit of 10,000 that was lowered to 300, is out of sight:
 * a riser to it would be a line from nowhere, so there is none. `holds`: the last level before a gap reaches to the next point.
 */
function drawLimit(plot: uPlot, seriesIndex: number, first: number, last: number, holds: boolean): uPlot.Series.Paths {
  const stroke = new Path2D();
  const levels = plot.data[seriesIndex] ?? [];
  const top = plot.scales['y']?.max ?? Number.POSITIVE_INFINITY;
  const place = (index: number): number => plot.valToPos(plot.data[0][index] ?? 0, 'x', true);
  for (let index = first; index < last; index += 1) {
    const level = levels[index];
    const next = levels[index + 1];
    if (level === null || level === undefined) continue;
    const y = plot.valToPos(level, 'y', true);
    if (index === first || levels[index - 1] !== level) stroke.moveTo(place(index), y);
    if ((next === null || next === undefined) && !holds) continue;
    stroke.lineTo(place(index + 1), y);
    if (next === null || next === undefined) continue;
    if (next !== level && level <= top && next <= top) stroke.lineTo(place(index + 1), plot.valToPos(next, 'y', true));
  }
  return { stroke, flags: 1 };
}

/** Name of the token that colours a line. */
export function lineToken(line: ChartLine): string {
  return line.colourSlot === null ? `--series-${line.kind}` : `--series-${line.colourSlot}`;
}

/** uPlot's own type wants arrays it may write to; it never does. */
export function alignedData(data: ChartData): uPlot.AlignedData {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the first column has no nulls, and uPlot only reads
  return data.columns as unknown as uPlot.AlignedData;
}
