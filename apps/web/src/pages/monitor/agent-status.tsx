import type { ReactElement } from 'react';
import type { MonitorRow } from '@weir/protocol';
import { Badge } from '../../components/badge.tsx';
import { Countdown } from '../../components/countdown.tsx';
import styles from './agent-table.module.css';

/** What an agent does: running or idle, and what needs a look beside it. */
export function AgentStatus({ row }: { row: MonitorRow }): ReactElement {
  return (
    <span className={styles.badges}>
      <Badge tone={row.status === 'running' ? 'green' : 'gray'} dot>
        {row.status === 'running' ? 'Running' : 'Idle'}
      </Badge>
      {row.holdoffUntilMs !== null && (
        <Badge tone="amber">
          Holdoff <Countdown untilMs={row.holdoffUntilMs} />
        </Badge>
      )}
      {!row.throttled && row.kind === 'agent' && <Badge tone="amber">Unthrottled</Badge>}
      {!row.online && row.kind === 'agent' && <Badge tone="gray">Offline</Badge>}
    </span>
  );
}
