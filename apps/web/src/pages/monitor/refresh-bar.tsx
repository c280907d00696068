import { useState, type ReactElement } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNow } from '../../data/now.ts';
import { nextPollAtMs, useWindowMs } from '../../data/polling.ts';
import type { TimedMonitor } from '../../data/monitor.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { formatClockSeconds } from '../../format/time.ts';
import styles from './refresh-bar.module.css';

/** The Refresh button, seconds until it happens by itself, and how long the console took to answer. */
export function RefreshBar({ query }: { query: UseQueryResult<TimedMonitor> }): ReactElement {
  const windowMs = useWindowMs();
  const [said, setSaid] = useState('');
  const refresh = async (): Promise<void> => {
    const { isError } = await query.refetch();
    setSaid(isError ? 'The console did not answer' : `Refreshed at ${formatClockSeconds(Date.now())}`);
  };
  return (
    <div className={styles.bar}>
      <span className={styles.latency} title="How long the console took to answer the last query">
        <span className="visually-hidden">Query latency </span>
        <Badge tone={query.isError ? 'red' : 'gray'}>
          {query.isError ? 'No answer' : query.data === undefined ? '– ms' : `${query.data.latencyMs} ms`}
        </Badge>
      </span>
      <span className={styles.countdown} data-testid="refresh-countdown">
        <UntilRefresh atMs={nextPollAtMs(query, windowMs)} windowMs={windowMs} />
      </span>
      <Button icon="refresh" busy={query.isFetching} onClick={() => void refresh()}>
        Refresh
      </Button>
      <output className="visually-hidden">{said}</output>
    </div>
  );
}

function UntilRefresh({ atMs, windowMs }: { atMs: number; windowMs: number }): ReactElement {
  // The shared clock ticks every half second, so right after an answer it may still be behind.
  const leftMs = Math.min(windowMs, Math.max(0, atMs - useNow()));
  const seconds = Math.ceil(leftMs / 1_000);
  return (
    <>
      Next in <span className={styles.seconds}>{seconds}</span> s
    </>
  );
}
