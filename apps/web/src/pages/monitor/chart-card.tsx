import { useMemo, type ReactElement } from 'react';
import type { MonitorEvent, MonitorSeries, MonitorView } from '@weir/protocol';
import { useSearchParams } from 'wouter';
import { useMonitorHistory } from '../../data/monitor.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Segments } from '../../components/segments.tsx';
import type { ChartSpan } from '../../charts/chart-span.ts';
import { TpsChart } from '../../charts/tps-chart.tsx';
import { formatDuration } from '../../format/time.ts';
import { describeRange, rangeChoices, rangeNamed, spanOf, type MonitorRange } from './range.ts';
import styles from './monitor-page.module.css';

/** Height of the chart while it is read: about that of plot and legend. */
const PLACEHOLDER_PX = 400;

/** TPS over the last 60 windows, or over hours and days. The range is part of the address, so that it can be kept and sent. */
export function ChartCard({ view }: { view: MonitorView }): ReactElement {
  const [search, setSearch] = useSearchParams();
  const range = rangeNamed(search.get('range'));
  const span = useMemo(() => spanOf(range, view.windowSeconds), [range, view.windowSeconds]);
  const choose = (chosen: MonitorRange): void => {
    setSearch(chosen === 'live' ? {} : { range: chosen }, { replace: true });
  };
  return (
    <Card
      title="TPS over time"
      description={describeRange(range, view.windowSeconds)}
      actions={
        <Segments
          label="Time shown by the chart"
          value={range}
          options={rangeChoices(view.windowSeconds)}
          onChange={choose}
        />
      }
    >
      {range === 'live' ? (
        <Chart series={view.series} events={view.events} span={span} />
      ) : (
        <History range={range} span={span} />
      )}
    </Card>
  );
}

function History({ range, span }: { range: Exclude<MonitorRange, 'live'>; span: ChartSpan }): ReactElement {
  const history = useMonitorHistory(range);
  return (
    <QueryState query={history} placeholderHeight={PLACEHOLDER_PX}>
      {({ series, events }) => <Chart key={range} series={series} events={events} span={span} />}
    </QueryState>
  );
}

function Chart({
  series,
  events,
  span,
}: {
  series: MonitorSeries;
  events: readonly MonitorEvent[];
  span: ChartSpan;
}): ReactElement {
  if (series.totalTps.some((tps) => tps !== null)) return <TpsChart series={series} events={events} span={span} />;
  return (
    <div className={styles.noSamples}>
      <EmptyState icon="monitor" title="No samples yet">
        {span.growing
          ? `The first point appears when a window of ${formatDuration(span.stepSeconds * 1_000)} has ended.`
          : 'The console has not taken samples in this time.'}
      </EmptyState>
    </div>
  );
}
