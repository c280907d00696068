import type { ReactElement } from 'react';
import { MONITOR_POINTS, type MonitorView } from '@weir/protocol';
import { useMonitor } from '../../data/monitor.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TpsChart } from '../../charts/tps-chart.tsx';
import { formatDuration } from '../../format/time.ts';
import { StartChecklist } from '../start/start-checklist.tsx';
import { AgentTable } from './agent-table.tsx';
import { RefreshBar } from './refresh-bar.tsx';
import { SummaryCards } from './summary-cards.tsx';
import styles from './monitor-page.module.css';

/** Height of the placeholder: about that of cards, chart and a short table. */
const PLACEHOLDER_PX = 720;

/** TPS Monitor: how the global limit is shared out, now and over the last 60 windows. */
export function MonitorPage(): ReactElement {
  const monitor = useMonitor();
  const enabled = monitor.data?.view.limiterEnabled !== false;
  return (
    <>
      <PageHeader title="TPS Monitor" actions={enabled && <RefreshBar query={monitor} />} />
      <QueryState query={monitor} placeholderHeight={PLACEHOLDER_PX}>
        {({ view }) => (view.limiterEnabled ? <Monitor view={view} /> : <LimiterOff />)}
      </QueryState>
    </>
  );
}

function Monitor({ view }: { view: MonitorView }): ReactElement {
  const span = formatDuration(MONITOR_POINTS * view.windowSeconds * 1_000);
  return (
    <>
      <StartChecklist />
      <SummaryCards view={view} />
      <div className={styles.columns}>
        <Card
          title="TPS over time"
          description={`Last ${span}, one point each ${formatDuration(view.windowSeconds * 1_000)}`}
        >
          {view.series.totalTps.every((tps) => tps === null) ? (
            <div className={styles.noSamples}>
              <EmptyState icon="monitor" title="No samples yet">
                The first point appears when a window of {formatDuration(view.windowSeconds * 1_000)} has ended.
              </EmptyState>
            </div>
          ) : (
            <TpsChart series={view.series} windowSeconds={view.windowSeconds} />
          )}
        </Card>
        <AgentTable rows={view.rows} />
      </div>
    </>
  );
}

function LimiterOff(): ReactElement {
  return (
    <Card>
      <EmptyState
        icon="monitor"
        title="TPS rate limiting is off"
        actions={
          <ButtonLink href="/settings/tps-rate-limiting" variant="primary">
            Open the settings
          </ButtonLink>
        }
      >
        Agents run unthrottled, so there is no budget to watch. Turn limiting on under Setup &amp; Settings to share one
        TPS budget over all agents.
      </EmptyState>
    </Card>
  );
}
