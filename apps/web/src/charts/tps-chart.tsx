import { useCallback, useMemo, useState, type ReactElement } from 'react';
import { MONITOR_POINTS, type MonitorSeries } from '@weir/protocol';
import { useIsDark } from '../shell/theme.ts';
import { formatTps } from '../format/numbers.ts';
import { formatClock, formatDuration } from '../format/time.ts';
import { ChartLegend } from './chart-legend.tsx';
import { ChartTooltip, TOOLTIP_ROWS } from './chart-tooltip.tsx';
import { Plot } from './plot.tsx';
import { chartData, figuresAt, type ChartData } from './series.ts';
import type { ChartContext } from './uplot-options.ts';
import styles from './tps-chart.module.css';

interface Point {
  index: number;
  leftPx: number;
}

/** TPS per agent, total and limit over the last 60 windows, with a tooltip and a legend that toggles lines. */
export function TpsChart({ series, windowSeconds }: { series: MonitorSeries; windowSeconds: number }): ReactElement {
  const data = useStableLines(series);
  const isDark = useIsDark();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [point, setPoint] = useState<Point | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const last = (data.columns[0]?.length ?? 0) - 1;

  const onPoint = useCallback((index: number | null, leftPx: number): void => {
    setPoint((before) => {
      if (index === null) return null;
      return before?.index === index && before.leftPx === leftPx ? before : { index, leftPx };
    });
  }, []);
  const context = useMemo<ChartContext>(
    () => ({ data, hidden, spanSeconds: (MONITOR_POINTS - 1) * windowSeconds, onPoint }),
    [data, hidden, windowSeconds, onPoint],
  );

  return (
    <div>
      <div className={styles.plot}>
        <span className={styles.unit} aria-hidden="true">
          TPS
        </span>
        <Plot key={`${data.structureKey} ${isDark}`} context={context} cursor={cursor} />
        {point !== null && point.index <= last && (
          <ChartTooltip data={data} index={point.index} leftPx={point.leftPx} hidden={hidden} />
        )}
        <input
          type="range"
          className={styles.slider}
          aria-label={`Chart of TPS over the last ${formatDuration(MONITOR_POINTS * windowSeconds * 1_000)}; move through time with the arrow keys`}
          min={0}
          max={last}
          value={Math.min(cursor ?? last, last)}
          aria-valuetext={describePoint(data, Math.min(cursor ?? last, last), hidden)}
          onChange={(event) => setCursor(Number(event.target.value))}
          onBlur={() => setCursor(null)}
        />
      </div>
      <ChartLegend lines={data.lines} hidden={hidden} onChange={setHidden} />
    </div>
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

function describePoint(data: ChartData, index: number, hidden: ReadonlySet<string>): string {
  const seconds = data.columns[0]?.[index];
  if (seconds === undefined || seconds === null) return 'No samples yet';
  const figures = figuresAt(data, index, hidden).slice(0, TOOLTIP_ROWS);
  const words = figures.map(({ line, tps }) => `${line.label} ${tps === null ? 'no value' : `${formatTps(tps)} TPS`}`);
  return `${formatClock(seconds * 1_000)}: ${words.join(', ')}`;
}
