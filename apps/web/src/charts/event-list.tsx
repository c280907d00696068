import { memo, type ComponentType, type ReactElement } from 'react';
import type { MonitorEvent } from '@weir/protocol';
import { formatClockSeconds, formatDateTime } from '../format/time.ts';
import { formatCount } from '../format/numbers.ts';
import { eventDetail, eventTitle } from '../words/event-words.ts';
import { EventBadge } from './event-badge.tsx';
import styles from './event-list.module.css';

interface EventListProps {
  events: readonly MonitorEvent[];
  /** Whether times need their day. */
  withDate: boolean;
  open: boolean;
  onToggle: (open: boolean) => void;
}

/** What happened in the time of the chart, newest first; closed until somebody asks. */
export const EventList: ComponentType<EventListProps> = memo(function EventList({
  events,
  withDate,
  open,
  onToggle,
}: EventListProps): ReactElement {
  return (
    <details className={styles.box} open={open} onToggle={(event) => onToggle(event.currentTarget.open)}>
      <summary className={styles.summary}>
        Events <span className={styles.count}>{events.length === 0 ? 'none' : formatCount(events.length)}</span>
      </summary>
      {events.length === 0 ? (
        <p className={styles.none}>
          Nothing happened in this time: no change of the limit, no alarm, no holdoff, no agent that joined or left.
        </p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls must be reachable by keyboard
        <ol className={styles.list} tabIndex={0} aria-label="Events, newest first">
          {events.toReversed().map((event) => (
            <li key={`${event.atMs} ${event.kind}`} className={styles.event}>
              <EventBadge kind={event.kind} />
              <time className={styles.time} dateTime={new Date(event.atMs).toISOString()}>
                {withDate ? formatDateTime(event.atMs) : formatClockSeconds(event.atMs)}
              </time>
              <span className={styles.words}>
                {eventTitle(event)} <span className={styles.detail}>{eventDetail(event)}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
});
