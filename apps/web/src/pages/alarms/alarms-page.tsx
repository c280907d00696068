import type { ReactElement } from 'react';
import type { AlarmView } from '@weir/protocol';
import { useAcknowledgeAlarm, useAlarms } from '../../data/alarms.ts';
import { useMay } from '../../data/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastError } from '../../components/toasts.tsx';
import { formatCount, formatPercent, formatSetPercent } from '../../format/numbers.ts';
import { formatDateTime, formatDuration } from '../../format/time.ts';
import { ALARM_REMEDIES, alarmState } from '../../words/alarm-words.ts';
import { AlarmRulesCard } from './alarm-rules-card.tsx';
import { DeliveriesCard, WebhooksCard } from './webhooks-card.tsx';
import styles from './alarms-page.module.css';

/** Alarms: what is active, what was, who has seen it, when they fire, and who is told. */
export function AlarmsPage(): ReactElement {
  const alarms = useAlarms();
  const may = useMay('admin');
  return (
    <>
      <PageHeader title="Alarms" />
      <QueryState query={alarms} placeholderHeight={320}>
        {(list) => <AlarmHistory alarms={list} />}
      </QueryState>
      <AlarmRulesCard />
      {may && <WebhooksCard />}
      {may && <DeliveriesCard />}
    </>
  );
}

function AlarmHistory({ alarms }: { alarms: readonly AlarmView[] }): ReactElement {
  const activeCodes = new Set(alarms.filter((alarm) => alarm.endedAtMs === null).map((alarm) => alarm.code));
  return (
    <>
      {[...activeCodes].map((code) => {
        const remedy = ALARM_REMEDIES[code];
        return (
          remedy !== undefined && (
            <Notice key={code} tone="info" title={`What to do about ${code}`}>
              {remedy}
            </Notice>
          )
        );
      })}
      <Card
        title="History"
        description="Newest first. An alarm that fires again while it is active stays one entry."
        flush
      >
        {alarms.length === 0 ? (
          <EmptyState icon="alarms" title="No alarm has fired">
            CV-TPS-001 fires when the fleet uses more of the global limit than the threshold in the settings.
          </EmptyState>
        ) : (
          <Table label="Alarm history" head={<Head />}>
            {alarms.map((alarm) => (
              <AlarmRow key={alarm.alarmId} alarm={alarm} />
            ))}
          </Table>
        )}
      </Card>
    </>
  );
}

function Head(): ReactElement {
  return (
    <>
      <Column>Alarm</Column>
      <Column>State</Column>
      <Column>Raised</Column>
      <Column numeric>Firings</Column>
      <Column numeric>Peak</Column>
      <Column>Ended</Column>
      <Column>Acknowledged</Column>
    </>
  );
}

function AlarmRow({ alarm }: { alarm: AlarmView }): ReactElement {
  const state = alarmState(alarm);
  return (
    <tr>
      <RowHeader>
        {alarm.code}
        <Remark>
          {alarm.severity} · {alarm.title}
        </Remark>
      </RowHeader>
      <Cell name="State">
        <Badge tone={state.tone} dot>
          {state.label}
        </Badge>
      </Cell>
      <Cell name="Raised" className={styles.moment}>
        {formatDateTime(alarm.raisedAtMs)}
      </Cell>
      <Cell name="Firings" numeric>
        {formatCount(alarm.firings)}
      </Cell>
      <Cell name="Peak" numeric className={styles.moment}>
        {formatPercent(alarm.peakValue)}
        <Remark>threshold {formatSetPercent(alarm.threshold)}</Remark>
      </Cell>
      <Cell name="Ended">
        {alarm.endedAtMs === null ? (
          'still active'
        ) : (
          <>
            {formatDateTime(alarm.endedAtMs)}
            <Remark>
              {alarm.endedBy === 'expired' ? '10 min without a new firing' : 'fell below the clear level'}, after{' '}
              {formatDuration(alarm.endedAtMs - alarm.raisedAtMs)}
            </Remark>
          </>
        )}
      </Cell>
      <Cell name="Acknowledged" className={styles.moment}>
        <Acknowledgement alarm={alarm} />
      </Cell>
    </tr>
  );
}

function Acknowledgement({ alarm }: { alarm: AlarmView }): ReactElement {
  const acknowledge = useAcknowledgeAlarm();
  const may = useMay('operator');
  if (alarm.acknowledgedAtMs !== null) {
    return (
      <>
        {alarm.acknowledgedBy ?? 'somebody'}
        <Remark>{formatDateTime(alarm.acknowledgedAtMs)}</Remark>
      </>
    );
  }
  if (!may) return <>no</>;
  return (
    <Button
      small
      busy={acknowledge.isPending}
      aria-label={`Acknowledge ${alarm.code} of ${formatDateTime(alarm.raisedAtMs)}`}
      onClick={() => acknowledge.mutate(alarm.alarmId, { onError: toastError })}
    >
      Acknowledge
    </Button>
  );
}
