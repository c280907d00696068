import type { ReactElement } from 'react';
import { useNow } from '../data/now.ts';
import { formatAge, formatCountdown, formatDateTime } from '../format/time.ts';

/** Time left until a moment of the console's clock, `1:42`. Not read out by itself. */
export function Countdown({ untilMs }: { untilMs: number }): ReactElement {
  const now = useNow();
  return <span>{formatCountdown(untilMs - now)}</span>;
}

/** `12 s ago`, with the exact time as a tooltip. */
export function Age({ atMs }: { atMs: number }): ReactElement {
  const now = useNow();
  return (
    <time dateTime={new Date(atMs).toISOString()} title={formatDateTime(atMs)}>
      {formatAge(atMs, now)}
    </time>
  );
}
