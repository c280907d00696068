import { useState, type CSSProperties, type ReactElement } from 'react';
import { cx } from '../components/class-names.ts';
import { formatClockSeconds, formatDateTime } from '../format/time.ts';
import { eventDetail, eventTitle } from '../words/event-words.ts';
import type { EventMark } from './chart-events.ts';
import { EventBadge } from './event-badge.tsx';
import styles from './event-marks.module.css';

/** Events that the tooltip of a mark lists; the list below the chart has all. */
const TOOLTIP_EVENTS = 6;

/**
 * Marks above the plot, where things happened. For the eye and the mouse: the list below the chart says the same to
 * everybody else, so the marks are no stops of the keyboard.
 */
export function EventMarks({
  marks,
  withDate,
  onOpen,
}: {
  marks: readonly EventMark[];
  /** Whether times need their day. */
  withDate: boolean;
  /** A mark was pressed. */
  onOpen: () => void;
}): ReactElement {
  const [hovered, setHovered] = useState<number | null>(null);
  const open = hovered === null ? undefined : marks[hovered];
  return (
    <div className={styles.layer} aria-hidden="true" data-testid="event-marks">
      {marks.map((mark, index) => (
        <button
          // A mark is its place: after a refresh others may have moved into it.
          key={`${mark.events[0]?.atMs} ${mark.kind}`}
          type="button"
          tabIndex={-1}
          className={styles.mark}
          style={placeOf(mark)}
          data-kind={mark.kind}
          onMouseEnter={() => setHovered(index)}
          onMouseLeave={() => setHovered(null)}
          onClick={onOpen}
        >
          <EventBadge kind={mark.kind} />
          {mark.events.length > 1 && <span className={styles.count}>{mark.events.length}</span>}
        </button>
      ))}
      {open !== undefined && (
        <div className={cx(styles.tooltip, open.share > 0.5 && styles.before)} style={placeOf(open)}>
          {open.events.slice(0, TOOLTIP_EVENTS).map((event) => (
            <p key={`${event.atMs} ${event.kind}`} className={styles.event}>
              <span className={styles.time}>
                {withDate ? formatDateTime(event.atMs) : formatClockSeconds(event.atMs)}
              </span>
              <span className={styles.title}>{eventTitle(event)}</span>
              <span>{eventDetail(event)}</span>
            </p>
          ))}
          {open.events.length > TOOLTIP_EVENTS && <p>and {open.events.length - TOOLTIP_EVENTS} more</p>}
        </div>
      )}
    </div>
  );
}

/** Custom property that the style sheet turns into a place between the ends of the plot. */
function placeOf(mark: EventMark): CSSProperties {
  const place: Record<`--${string}`, number> = { '--share': mark.share };
  return place;
}
