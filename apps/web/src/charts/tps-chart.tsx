import { useCallback, useMemo, useState, type ReactElement } from 'react';
import type { MonitorEvent, MonitorSeries } from '@weir/protocol';
import { useIsDark } from '../shell/theme.ts';
import { formatTps } from '../format/numbers.ts';
import { formatDuration } from '../format/time.ts';
import { eventTitle } from '../words/event-words.ts';
import { eventMarks, eventsAt } from './chart-events.ts';
import { ChartLegend } from './chart-legend.tsx';
import { formatPoint, needsDate, spanSeconds, type ChartSpan } from './chart-span.ts';
import { ChartTooltip, TOOLTIP_ROWS } from './chart-tooltip.tsx';
import { EventList } from './event-list.tsx';
import { EventMarks } from './event-marks.tsx';
import { Plot } from './plot.tsx';
import { chartData, figuresAt, timeRange, type ChartData } from './series.ts';
import type { ChartContext } from './uplot-options.ts';
import styles from './tps-chart.module.css';

interface Point {
  index: number;
  leftPx: number;
}

/** TPS per agent, total and limit over time, with events, a tooltip and a legend that toggles lines. */
export function TpsChart({
  series,
  events,
  span,
}: {
  series: MonitorSeries;
  /** Oldest first. */
  events: readonly MonitorEvent[];
  span: ChartSpan;
}): ReactElement {
  const data = useStableLines(series);
  const isDark = useIsDark();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [point, setPoint] = useState<Point | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const [listed, setListed] = useState(false);

  const onPoint = useCallback((index: number | null, leftPx: number): void => {
    setPoint((before) => {
      if (index === null) return null;
      return before?.index === index && before.leftPx === leftPx ? before : { index, leftPx };
    });
  }, []);
  const context = useMemo<ChartContext>(() => ({ data, hidden, span, onPoint }), [data, hidden, span, onPoint]);
  const range = useMemo(() => timeRange(data, spanSeconds(span), span.growing), [data, span]);
  const marks = useMemo(() => eventMarks(events, range), [events, range]);
  const openList = useCallback(() => setListed(true), []);

  return (
    <div>
      <div className={styles.plot}>
        <span className={styles.unit} aria-hidden="true">
          TPS
        </span>
        <Plot key={`${data.structureKey} ${isDark}`} context={context} cursor={cursor} />
        <EventMarks marks={marks} withDate={needsDate(span)} onOpen={openList} />
        {point !== null && point.index < series.atMs.length && (
          <ChartTooltip data={data} span={span} index={point.index} leftPx={point.leftPx} hidden={hidden} />
        )}
        <PointSlider {...{ data, events, span, hidden, cursor }} onChange={setCursor} />
      </div>
      <ChartLegend lines={data.lines} hidden={hidden} onChange={setHidden} />
      <EventList events={events} withDate={needsDate(span)} open={listed} onToggle={setListed} />
    </div>
  );
}

/** The keyboard's way through the points; what it says is what the tooltip shows. */
function PointSlider({
  data,
  events,
  span,
  hidden,
  cursor,
  onChange,
}: {
  data: ChartData;
  events: readonly MonitorEvent[];
  span: ChartSpan;
  hidden: ReadonlySet<string>;
  cursor: number | null;
  onChange: (cursor: number | null) => void;
}): ReactElement {
  const last = (data.columns[0]?.length ?? 0) - 1;
  const at = Math.min(cursor ?? last, last);
  const whole = formatDuration(span.points * span.stepSeconds * 1_000);
  return (
    <input
      type="range"
      className={styles.slider}
      aria-label={`Chart of TPS over the last ${whole}; move through time with the arrow keys`}
      min={0}
      max={last}
      value={at}
      aria-valuetext={describePoint(data, events, span, at, hidden)}
      onChange={(event) => onChange(Number(event.target.value))}
      onBlur={() => onChange(null)}
    />
  );
}

/** Shapes the samples; lines keep their colours from one refresh to the next. */
function useStableLines(series: MonitorSeries): ChartData {
  const [shaped, setShaped] = useState(() => ({ series, data: chartData(series) }));
  if (shaped.series === series) return shaped.data;
  const data = chartData(series, shaped.data.lines);
  setShaped({ series, data });
  return data;
}

function describePoint(
  data: ChartData,
  events: readonly MonitorEvent[],
  span: ChartSpan,
  index: number,
  hidden: ReadonlySet<string>,
): string {
  const seconds = data.columns[0]?.[index];
  if (seconds === undefined || seconds === null) return 'No samples yet';
  const figures = figuresAt(data, index, hidden).slice(0, TOOLTIP_ROWS);
  const words = figures.map(({ line, tps }) => `${line.label} ${tps === null ? 'no value' : `${formatTps(tps)} TPS`}`);
  const happened = eventsAt(events, data.columns[0] ?? [], index).map(eventTitle);
  return `${formatPoint(seconds * 1_000, span)}: ${[...words, ...happened].join(', ')}`;
}
