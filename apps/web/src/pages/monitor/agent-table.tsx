import { memo, useMemo, useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import type { MonitorRow } from '@weir/protocol';
import { bandOf } from '../../format/band.ts';
import { formatCount, formatMbps, formatPlural, formatTps } from '../../format/numbers.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { cx } from '../../components/class-names.ts';
import { SearchField } from '../../components/search-field.tsx';
import { Cell, RowHeader, SortColumn, Table, type SortOrder } from '../../components/table.tsx';
import { AgentStatus } from './agent-status.tsx';
import { arrangeRows, FILTER_FROM_AGENTS, FIRST_ROWS, type RowSortKey } from './agent-rows.ts';
import { Efficiency } from './efficiency.tsx';
import styles from './agent-table.module.css';

/** One row per agent, and the row of the console. */
export function AgentTable({ rows }: { rows: readonly MonitorRow[] }): ReactElement {
  const [order, setOrder] = useState<SortOrder<RowSortKey>>({ key: 'name', descending: false });
  const [filter, setFilter] = useState('');
  const [showAll, setShowAll] = useState(false);
  const agents = rows.filter((row) => row.kind === 'agent').length;
  const arranged = useMemo(() => arrangeRows(rows, order, filter), [rows, order, filter]);
  const shown = showAll ? arranged : arranged.slice(0, FIRST_ROWS);
  return (
    <Card
      title="Agents"
      flush
      actions={
        agents > FILTER_FROM_AGENTS && (
          <SearchField label="Filter agents by name" value={filter} onChange={setFilter} placeholder="Filter by name" />
        )
      }
    >
      <Table label="TPS per agent" className={styles.table} head={<Head order={order} onSort={setOrder} />}>
        {shown.map((row) => (
          <AgentRow key={row.agentId} row={row} />
        ))}
      </Table>
      {agents === 0 && (
        <p className={styles.nothing}>
          No agent is enrolled yet. <Link href="/agents">Enrol one with a single command.</Link>
        </p>
      )}
      {shown.length === 0 && <p className={styles.nothing}>No agent has “{filter.trim()}” in its name.</p>}
      {shown.length < arranged.length && (
        <div className={styles.more}>
          <span>
            {formatCount(shown.length)} of {formatPlural(arranged.length, 'row')}
          </span>
          <Button small onClick={() => setShowAll(true)}>
            Show all
          </Button>
        </div>
      )}
    </Card>
  );
}

function Head({
  order,
  onSort,
}: {
  order: SortOrder<RowSortKey>;
  onSort: (order: SortOrder<RowSortKey>) => void;
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
      <SortColumn {...column} sortKey="allocated" numeric hint="The share of the global limit in the current window">
        Allocated TPS
      </SortColumn>
      <SortColumn {...column} sortKey="actual" numeric hint="Charged operations ÷ active seconds of the last window">
        Actual TPS
      </SortColumn>
      <SortColumn {...column} sortKey="efficiency" numeric hint="Actual TPS ÷ allocated TPS">
        Efficiency %
      </SortColumn>
      <SortColumn
        {...column}
        sortKey="mbps"
        numeric
        hint="Measured bandwidth of the last window, in megabits per second"
      >
        Actual Mbps
      </SortColumn>
    </>
  );
}

const AgentRow = memo(function AgentRow({ row }: { row: MonitorRow }): ReactElement {
  const band = row.efficiencyPercent === null || row.actualTps === 0 ? null : bandOf(row.efficiencyPercent);
  return (
    <tr className={cx(row.kind === 'console' && styles.console)}>
      <RowHeader className={styles.name}>{row.name}</RowHeader>
      <Cell name="Status">
        <AgentStatus row={row} />
      </Cell>
      <Cell name="Allocated TPS" numeric>
        {row.throttled || row.kind === 'console' ? formatTps(row.allocatedTps) : '–'}
      </Cell>
      <Cell name="Actual TPS" numeric>
        <span className={cx(styles.actual, band !== null && styles[band])} data-band={band ?? undefined}>
          {formatTps(row.actualTps)}
        </span>
      </Cell>
      <Cell name="Efficiency %" numeric>
        <Efficiency row={row} />
      </Cell>
      <Cell name="Actual Mbps" numeric>
        {formatMbps(row.actualMbps)}
      </Cell>
    </tr>
  );
});
