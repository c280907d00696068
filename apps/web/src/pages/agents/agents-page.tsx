import { useMemo, useState, type ReactElement } from 'react';
import { MAX_LISTED_AGENTS, type AgentTotals, type AgentView } from '@weir/protocol';
import type { ListedAgents } from '../../data/agent-list.ts';
import { useAgents } from '../../data/agents.ts';
import { CheckField } from '../../components/check-field.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { TYPING_MS, useSettled } from '../../components/use-settled.ts';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { withheldFrom } from '../../words/need-words.ts';
import { AgentsTable } from './agents-table.tsx';
import { EnrolPanel } from './enrol-panel.tsx';
import { filterAgents } from './sort-agents.ts';

/** With more agents than this a filter appears. */
const FILTER_FROM_AGENTS = 10;

/** Which agents somebody wants to see. */
interface Wanted {
  filter: string;
  revoked: boolean;
}

/** Agents: who copies, from where, and how to add one. */
export function AgentsPage(): ReactElement {
  const [wanted, setWanted] = useState<Wanted>({ filter: '', revoked: false });
  const [large, setLarge] = useState(false);
  // The agents of most fleets are all here; of a very large one the console has more, and looks for them itself.
  const agents = useAgents(useSettled(large ? wanted.filter.trim() : '', TYPING_MS), wanted.revoked);
  const totals = agents.data?.totals;
  if (totals !== undefined && sizeOf(totals) > MAX_LISTED_AGENTS !== large) setLarge(!large);
  return (
    <>
      <PageHeader title="Agents" />
      <QueryState query={agents} placeholderHeight={320}>
        {(listed) => (
          <>
            <OlderAgents totals={listed.totals} />
            <AgentList listed={listed} wanted={wanted} onWanted={setWanted} />
          </>
        )}
      </QueryState>
      <EnrolPanel />
    </>
  );
}

/** All agents that there are, revoked ones too. */
function sizeOf({ registeredAgents, revokedAgents }: AgentTotals): number {
  return registeredAgents + revokedAgents;
}

/** Older agents are given only what they know; whoever wonders why one is idle finds it here. */
function OlderAgents({ totals: { olderProtocol } }: { totals: AgentTotals }): ReactElement | null {
  if (olderProtocol === null) return null;
  return (
    <Notice tone="amber" title={`${formatPlural(olderProtocol.agents, 'agent')} with an older protocol`}>
      Until they are updated they get no job that needs {withheldFrom(olderProtocol.oldestVersion)}. Such jobs wait for
      the others.
    </Notice>
  );
}

function AgentList({
  listed: { agents, matchingAgents, totals },
  wanted,
  onWanted,
}: {
  listed: ListedAgents;
  wanted: Wanted;
  onWanted: (wanted: Wanted) => void;
}): ReactElement {
  const { filter, revoked } = wanted;
  const shown = useMemo(() => filterAgents(agents, filter, revoked), [agents, filter, revoked]);
  const online = `${formatCount(totals.onlineAgents)} online`;
  return (
    <Card
      title={formatPlural(totals.registeredAgents, 'agent')}
      description={agents.length < matchingAgents ? `${online} · ${leftOut(agents, matchingAgents)}` : online}
      flush
      actions={
        <>
          {totals.revokedAgents > 0 && (
            <CheckField
              label={`Show revoked (${formatCount(totals.revokedAgents)})`}
              checked={revoked}
              onChange={(checked) => onWanted({ ...wanted, revoked: checked })}
            />
          )}
          {sizeOf(totals) > FILTER_FROM_AGENTS && (
            <SearchField
              label="Filter agents by name or host"
              placeholder="Filter by name or host"
              value={filter}
              onChange={(text) => onWanted({ ...wanted, filter: text })}
            />
          )}
        </>
      }
    >
      {shown.length > 0 ? (
        <AgentsTable agents={shown} firstBy={agents.length < matchingAgents ? 'status' : 'name'} />
      ) : (
        <EmptyState icon="agents" title={totals.registeredAgents === 0 ? 'No agents yet' : 'No agent matches'}>
          {totals.registeredAgents === 0 &&
            'Run the command below on a machine that should copy. The agent appears here within seconds.'}
        </EmptyState>
      )}
    </Card>
  );
}

function leftOut(listed: readonly AgentView[], matching: number): string {
  const revoked = listed.filter((agent) => agent.revoked).length;
  const among = revoked > 0 ? `, and ${formatCount(revoked)} revoked` : '';
  return `the ${formatCount(listed.length - revoked)} of ${formatPlural(matching, 'agent')} that most need a look${among}; filter by name or host to find others`;
}
