import uPlot from 'uplot';
import { formatCompact } from '../format/numbers.ts';
import { formatClock } from '../format/time.ts';
import { isolatedPoints, timeRange, topOfScale, type ChartData, type ChartLine } from './series.ts';

/** What the options read anew at each draw, so that fresh data needs no new chart. */
export interface ChartContext {
  data: ChartData;
  hidden: ReadonlySet<string>;
  spanSeconds: number;
  /** The point under the cursor and its place in the plot; null: the cursor is elsewhere. */
  onPoint: (index: number | null, leftPx: number) => void;
}

/** Width kept for the figures of the Y axis, in px: fixed, so that the plot does not move when they grow. */
const Y_AXIS_PX = 52;

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
    padding: [10, 22, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 7, width: 2 },
    },
    scales: {
      x: { time: true, range: () => timeRange(context().data, context().spanSeconds) },
      y: { range: () => [0, topOfScale(context().data, context().hidden)] },
    },
    axes: [
      { ...axis, space: 64, size: 28, values: (_, splits) => splits.map((seconds) => formatClock(seconds * 1_000)) },
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

function seriesOf(line: ChartLine, colours: (token: string) => string, show: boolean): uPlot.Series {
  const stroke = colours(lineToken(line));
  return {
    label: line.label,
    show,
    scale: 'y',
    stroke,
    width: line.kind === 'total' ? 2.75 : line.kind === 'limit' ? 1.75 : 1.5,
    ...(line.kind === 'limit' ? limitLook() : {}),
    points: {
      show: true,
      size: line.kind === 'total' ? 6 : 4,
      fill: stroke,
      filter: (plot, index) => isolatedPoints(Array.from(plot.data[index] ?? [])),
    },
  };
}

/** Dashed, and in steps: a limit holds until it is changed, it never slides. */
function limitLook(): Partial<uPlot.Series> {
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return { dash: [7, 5], ...(stepped === undefined ? {} : { paths: stepped }) };
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
