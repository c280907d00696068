import { useSyncExternalStore, type ReactElement } from 'react';
import { Link } from 'wouter';
import type { AlarmView } from '@weir/protocol';
import { useAlarms } from '../data/alarms.ts';
import { connection, queryClient } from '../data/console.ts';
import { Button } from '../components/button.tsx';
import { Age } from '../components/countdown.tsx';
import { Notice } from '../components/notice.tsx';
import { formatClockSeconds } from '../format/time.ts';
import { alarmSummary } from '../words/alarm-words.ts';
import { wordsFor } from '../words/error-words.ts';
import { GroupBanner } from './group-banner.tsx';
import styles from './banners.module.css';

/** What everybody must see on every page: the console is silent, or an alarm is active. */
export function Banners(): ReactElement {
  // An acknowledged alarm is known: the navigation still counts it, the banner leaves.
  const active = useAlarms().data?.filter((alarm) => alarm.endedAtMs === null && alarm.acknowledgedAtMs === null) ?? [];
  return (
    <div className={styles.banners}>
      <ConnectionBanner />
      {active.map((alarm) => (
        <AlarmBanner key={alarm.alarmId} alarm={alarm} />
      ))}
      <GroupBanner />
    </div>
  );
}

function ConnectionBanner(): ReactElement | null {
  const state = useSyncExternalStore(connection.subscribe, connection.state);
  if (state.failingSinceMs === null) return null;
  const words = wordsFor(state.error);
  return (
    <Notice
      tone="red"
      live
      title={`${words.title.replace(/\.$/, '')} since ${formatClockSeconds(state.failingSinceMs)}.`}
      actions={
        <Button small icon="refresh" onClick={() => void queryClient.refetchQueries({ type: 'active' })}>
          Try now
        </Button>
      }
    >
      {state.lastAnswerAtMs === null
        ? words.remedy
        : `You see the figures of ${formatClockSeconds(state.lastAnswerAtMs)}. ${words.remedy} This page keeps trying.`}
    </Notice>
  );
}

function AlarmBanner({ alarm }: { alarm: AlarmView }): ReactElement {
  return (
    <Notice
      tone={alarm.severity === 'CRITICAL' ? 'red' : 'amber'}
      title={`${alarm.code} · ${alarm.title}`}
      actions={
        <Link href="/alarms" className={styles.link}>
          Look at the alarm
        </Link>
      }
    >
      {alarmSummary(alarm)} It fired <Age atMs={alarm.lastFiredAtMs} />.
    </Notice>
  );
}
