import { useState, type ReactElement } from 'react';
import { MAX_MONITOR_ROWS, type MonitorView } from '@weir/protocol';
import { useMonitor } from '../../data/monitor.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TYPING_MS, useSettled } from '../../components/use-settled.ts';
import { StartChecklist } from '../start/start-checklist.tsx';
import { AgentTable } from './agent-table.tsx';
import { ChartCard } from './chart-card.tsx';
import { RefreshBar } from './refresh-bar.tsx';
import { SummaryCards } from './summary-cards.tsx';
import styles from './monitor-page.module.css';

/** Height of the placeholder: about that of cards, chart and a short table. */
const PLACEHOLDER_PX = 720;

/** TPS Monitor: how the global limit is shared out, now and over time. */
export function MonitorPage(): ReactElement {
  const [filter, setFilter] = useState('');
  const [large, setLarge] = useState(false);
  // The rows of most fleets are all here; of a very large one the console has more, and looks for them itself.
  const monitor = useMonitor(useSettled(large ? filter.trim() : '', TYPING_MS));
  const view = monitor.data?.view;
  if (view !== undefined && view.registeredAgents > MAX_MONITOR_ROWS !== large) setLarge(!large);
  return (
    <>
      <PageHeader title="TPS Monitor" actions={view?.limiterEnabled !== false && <RefreshBar query={monitor} />} />
      <QueryState query={monitor} placeholderHeight={PLACEHOLDER_PX}>
        {(data) =>
          data.view.limiterEnabled ? <Monitor view={data.view} filter={filter} onFilter={setFilter} /> : <LimiterOff />
        }
      </QueryState>
    </>
  );
}

function Monitor({
  view,
  filter,
  onFilter,
}: {
  view: MonitorView;
  filter: string;
  onFilter: (filter: string) => void;
}): ReactElement {
  return (
    <>
      <StartChecklist />
      <SummaryCards view={view} />
      <div className={styles.columns}>
        <ChartCard view={view} />
        <AgentTable view={view} filter={filter} onFilter={onFilter} />
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
