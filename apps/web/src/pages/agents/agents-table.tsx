import { useState, type ReactElement } from 'react';
import { PROTOCOL_VERSION, type AgentView } from '@weir/protocol';
import { useRevokeAgent } from '../../data/agents.ts';
import { useMay } from '../../data/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Age, Countdown } from '../../components/countdown.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { formatCount, formatTps } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';
import { TroubleBadge } from '../jobs/job-troubles.tsx';
import styles from './agents-table.module.css';

/** Agents with what they run on and what they do. */
export function AgentsTable({ agents }: { agents: readonly AgentView[] }): ReactElement {
  const may = useMay('admin');
  const [asking, setAsking] = useState<AgentView | null>(null);
  return (
    <>
      <Table
        label="Agents"
        head={
          <>
            <Column>Agent</Column>
            <Column>Status</Column>
            <Column>Version</Column>
            <Column>Heartbeat</Column>
            <Column numeric>Running jobs</Column>
            <Column numeric hint="Actual TPS of the last window and the allocation of this one">
              TPS
            </Column>
            <Column numeric>Holdoffs</Column>
            {may && (
              <Column numeric>
                <span className="visually-hidden">Actions</span>
              </Column>
            )}
          </>
        }
      >
        {agents.map((agent) => (
          <tr key={agent.agentId}>
            <RowHeader>
              {agent.name}
              <span className={styles.host}>{agent.host}</span>
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
            <Cell name="Running jobs" numeric>
              {formatCount(agent.runningJobs)}
            </Cell>
            <Cell name="TPS" numeric className={styles.short}>
              {formatTps(agent.actualTps)}
              <span className={styles.of}> / {agent.limiter ? formatTps(agent.allocatedTps) : 'no limit'}</span>
            </Cell>
            <Cell name="Holdoffs" numeric>
              {formatCount(agent.holdoffCount)}
            </Cell>
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
        ))}
      </Table>
      {asking !== null && <RevokeDialog agent={asking} onClose={() => setAsking(null)} />}
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

/** Another protocol than the console's is amber: such an agent may not obey the limit. */
function Version({ agent }: { agent: AgentView }): ReactElement {
  const differs = agent.protocolVersion !== PROTOCOL_VERSION;
  return (
    <span title={`Enrolled ${formatDateTime(agent.enrolledAtMs)}`}>
      {agent.version}
      {differs && <span className={styles.differs}>protocol {agent.protocolVersion}, update</span>}
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
