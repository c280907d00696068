import type { ReactElement } from 'react';
import type { JobView } from '@weir/protocol';
import { Card } from '../../components/card.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { formatBytes, formatCount, formatMbps, formatTps } from '../../format/numbers.ts';

/** Who works on a job now, and how fast; nothing while nobody does. */
export function JobAgents({ job }: { job: JobView }): ReactElement | null {
  if (job.agents.length === 0) return null;
  return (
    <Card title="Agents at work" description="Means over the last minute." flush>
      <Table
        label="Agents at work on this job"
        head={
          <>
            <Column>Agent</Column>
            <Column numeric>Key ranges</Column>
            <Column numeric>Objects/s</Column>
            <Column numeric>Copied/s</Column>
            <Column numeric hint="Object bytes over the network, read and written">
              Mbps
            </Column>
          </>
        }
      >
        {job.agents.map((agent) => (
          <tr key={agent.agentId}>
            <RowHeader>{agent.name}</RowHeader>
            <Cell name="Key ranges" numeric>
              {formatCount(agent.shards)}
            </Cell>
            <Cell name="Objects/s" numeric>
              {formatTps(agent.objectsPerSecond)}
            </Cell>
            <Cell name="Copied/s" numeric>
              {formatBytes(agent.bytesPerSecond)}
            </Cell>
            <Cell name="Mbps" numeric>
              {formatMbps(agent.mbps)}
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
