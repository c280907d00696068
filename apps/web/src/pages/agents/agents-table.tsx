import { useMemo, useState, type ReactElement } from 'react';
import type { AgentView } from '@weir/protocol';
import { useRevokeAgent } from '../../data/agents.ts';
import { useMay } from '../../data/session.ts';
import { Address } from '../../components/address.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Age, Countdown } from '../../components/countdown.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, SortColumn, Table, type SortOrder } from '../../components/table.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { RowRoom, useVirtualRows } from '../../components/virtual-rows.tsx';
import { formatCount, formatTps } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';
import { versionWords } from '../../words/need-words.ts';
import { TroubleBadge } from '../jobs/job-troubles.tsx';
import { sortAgents, type AgentSortKey } from './sort-agents.ts';
import styles from './agents-table.module.css';

/** Columns of the table, without that of the actions. */
const COLUMNS = 7;

/** Agents with what they run on and what they do. Of long lists only the rows are drawn that can be seen. */
export function AgentsTable({
  agents,
  firstBy,
}: {
  agents: readonly AgentView[];
  /** The column that they are sorted by until somebody chooses another: of a part of the fleet, those that need a look come first. */
  firstBy: AgentSortKey;
}): ReactElement {
  const may = useMay('admin');
  const [asking, setAsking] = useState<AgentView | null>(null);
  const [chosen, setOrder] = useState<SortOrder<AgentSortKey> | null>(null);
  const order = useMemo(() => chosen ?? { key: firstBy, descending: false }, [chosen, firstBy]);
  const sorted = useMemo(() => sortAgents(agents, order), [agents, order]);
  const rows = useVirtualRows(sorted.length);
  const columns = may ? COLUMNS + 1 : COLUMNS;
  return (
    <>
      <Table
        label="Agents"
        className={styles.table}
        head={<Head order={order} onSort={setOrder} withActions={may} />}
        rowCount={sorted.length + 1}
        bodyRef={rows.body}
      >
        <RowRoom heightPx={rows.abovePx} columns={columns} />
        {rows.indices.map((index) => {
          const agent = sorted[index];
          return (
            agent && (
              <tr key={agent.agentId} ref={rows.measure} data-index={index} aria-rowindex={index + 2}>
                <AgentCells agent={agent} />
                {may && (
                  <Cell numeric>
                    {!agent.revoked && (
                      <Button small aria-label={`Revoke ${agent.name}`} onClick={() => setAsking(agent)}>
                        Revoke
                      </Button>
                    )}
                  </Cell>
                )}
              </tr>
            )
          );
        })}
        <RowRoom heightPx={rows.belowPx} columns={columns} />
      </Table>
      {asking !== null && <RevokeDialog agent={asking} onClose={() => setAsking(null)} />}
    </>
  );
}

function Head({
  order,
  onSort,
  withActions,
}: {
  order: SortOrder<AgentSortKey>;
  onSort: (order: SortOrder<AgentSortKey>) => void;
  withActions: boolean;
}): ReactElement {
  const column = { order, onSort };
  return (
    <>
      <SortColumn {...column} sortKey="name">
        Agent
      </SortColumn>
      <SortColumn {...column} sortKey="status">
        Status
      </SortColumn>
      <SortColumn {...column} sortKey="version">
        Version
      </SortColumn>
      <SortColumn {...column} sortKey="heartbeat">
        Heartbeat
      </SortColumn>
      <SortColumn
        {...column}
        sortKey="jobs"
        numeric
        hint="Jobs that it runs, and the key ranges of them that it works on"
      >
        Jobs / ranges
      </SortColumn>
      <SortColumn {...column} sortKey="tps" numeric hint="Actual TPS of the last window and the allocation of this one">
        TPS
      </SortColumn>
      <SortColumn {...column} sortKey="holdoffs" numeric hint="Pauses after 503 SlowDown since it was enrolled">
        Holdoffs
      </SortColumn>
      {withActions && (
        <Column numeric>
          <span className="visually-hidden">Actions</span>
        </Column>
      )}
    </>
  );
}

function AgentCells({ agent }: { agent: AgentView }): ReactElement {
  return (
    <>
      <RowHeader>
        {agent.name}
        <Remark>
          <Address address={agent.host} />
        </Remark>
      </RowHeader>
      <Cell name="Status">
        <AgentBadges agent={agent} />
      </Cell>
      <Cell name="Version">
        <Version agent={agent} />
      </Cell>
      <Cell name="Heartbeat" className={styles.short}>
        {agent.lastHeartbeatAtMs === null ? 'never' : <Age atMs={agent.lastHeartbeatAtMs} />}
      </Cell>
      <Cell name="Jobs / ranges" numeric className={styles.short}>
        {formatCount(agent.runningJobs)}
        <span className={styles.of}> / {formatCount(agent.heldRanges)}</span>
      </Cell>
      <Cell name="TPS" numeric className={styles.short}>
        {formatTps(agent.actualTps)}
        <span className={styles.of}> / {agent.limiter ? formatTps(agent.allocatedTps) : 'no limit'}</span>
      </Cell>
      <Cell name="Holdoffs" numeric>
        {formatCount(agent.holdoffCount)}
      </Cell>
    </>
  );
}

function AgentBadges({ agent }: { agent: AgentView }): ReactElement {
  const tone = { running: 'green', idle: 'gray', offline: 'gray' } as const;
  const label = { running: 'Running', idle: 'Idle', offline: 'Offline' } as const;
  return (
    <span className={styles.badges}>
      {agent.revoked ? (
        <Badge tone="red">Revoked</Badge>
      ) : (
        <Badge tone={tone[agent.status]} dot>
          {label[agent.status]}
        </Badge>
      )}
      <TroubleBadge troubles={agent.troubles} />
      {agent.holdoffUntilMs !== null && (
        <Badge tone="amber">
          Holdoff <Countdown untilMs={agent.holdoffUntilMs} />
        </Badge>
      )}
      {!agent.limiter && !agent.revoked && <Badge tone="amber">Unthrottled</Badge>}
    </span>
  );
}

/** Another protocol than the console's is amber: such an agent is not given every job. */
function Version({ agent }: { agent: AgentView }): ReactElement {
  const words = versionWords(agent.protocolVersion);
  return (
    <span title={`Enrolled ${formatDateTime(agent.enrolledAtMs)}`}>
      {agent.version}
      {words !== null && !agent.revoked && <span className={styles.differs}>{words}</span>}
    </span>
  );
}

function RevokeDialog({ agent, onClose }: { agent: AgentView; onClose: () => void }): ReactElement {
  const revoke = useRevokeAgent();
  return (
    <ConfirmDialog
      open
      title={`Revoke ${agent.name}?`}
      confirmLabel="Revoke the agent"
      danger
      busy={revoke.isPending}
      error={revoke.error}
      onCancel={onClose}
      onConfirm={() =>
        revoke.mutate(agent.agentId, {
          onSuccess: () => {
            toastDone(`${agent.name} is revoked`, 'Its work returns to the queue.');
            onClose();
          },
        })
      }
    >
      Its credential stops working at once and its unfinished work returns to the queue. To use the machine again, enrol
      it anew.
    </ConfirmDialog>
  );
}
