import { useState, type ReactElement } from 'react';
import { PROTOCOL_VERSION, type AgentView } from '@weir/protocol';
import { useAgents } from '../../data/agents.ts';
import { CheckField } from '../../components/check-field.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { formatPlural } from '../../format/numbers.ts';
import { withheldFrom } from '../../words/need-words.ts';
import { AgentsTable } from './agents-table.tsx';
import { EnrolPanel } from './enrol-panel.tsx';

/** With more agents than this a filter appears. */
const FILTER_FROM_AGENTS = 10;

/** Agents: who copies, from where, and how to add one. */
export function AgentsPage(): ReactElement {
  const agents = useAgents();
  return (
    <>
      <PageHeader title="Agents" />
      <QueryState query={agents} placeholderHeight={320}>
        {(list) => (
          <>
            <OlderAgents agents={list} />
            <AgentList agents={list} />
          </>
        )}
      </QueryState>
      <EnrolPanel />
    </>
  );
}

/** Older agents are given only what they know; whoever wonders why one is idle finds it here. */
function OlderAgents({ agents }: { agents: readonly AgentView[] }): ReactElement | null {
  const older = agents.filter(
    ({ revoked, status, protocolVersion }) => !revoked && status !== 'offline' && protocolVersion < PROTOCOL_VERSION,
  );
  if (older.length === 0) return null;
  const oldest = Math.min(...older.map(({ protocolVersion }) => protocolVersion));
  return (
    <Notice tone="amber" title={`${formatPlural(older.length, 'agent')} with an older protocol`}>
      Until they are updated they get no job that needs {withheldFrom(oldest)}. Such jobs wait for the others.
    </Notice>
  );
}

function AgentList({ agents }: { agents: readonly AgentView[] }): ReactElement {
  const [filter, setFilter] = useState('');
  const [withRevoked, setWithRevoked] = useState(false);
  const known = agents.filter((agent) => !agent.revoked);
  const revoked = agents.length - known.length;
  const wanted = filter.trim().toLocaleLowerCase();
  const shown = (withRevoked ? agents : known).filter((agent) =>
    `${agent.name} ${agent.host}`.toLocaleLowerCase().includes(wanted),
  );
  const online = known.filter((agent) => agent.status !== 'offline').length;
  return (
    <Card
      title={formatPlural(known.length, 'agent')}
      description={`${online} online`}
      flush
      actions={
        <>
          {revoked > 0 && (
            <CheckField label={`Show revoked (${revoked})`} checked={withRevoked} onChange={setWithRevoked} />
          )}
          {agents.length > FILTER_FROM_AGENTS && (
            <SearchField
              label="Filter agents by name or host"
              placeholder="Filter by name or host"
              value={filter}
              onChange={setFilter}
            />
          )}
        </>
      }
    >
      {shown.length > 0 ? (
        <AgentsTable agents={shown} />
      ) : (
        <EmptyState icon="agents" title={known.length === 0 ? 'No agents yet' : 'No agent matches'}>
          {known.length === 0 &&
            'Run the command below on a machine that should copy. The agent appears here within seconds.'}
        </EmptyState>
      )}
    </Card>
  );
}
