import { memo, useMemo, useState, type ReactElement, type Ref } from 'react';
import { Link } from 'wouter';
import type { MonitorRow, MonitorView } from '@weir/protocol';
import { bandOf } from '../../format/band.ts';
import { formatCount, formatMbps, formatPlural, formatTps } from '../../format/numbers.ts';
import { Card } from '../../components/card.tsx';
import { cx } from '../../components/class-names.ts';
import { SearchField } from '../../components/search-field.tsx';
import { Cell, RowHeader, SortColumn, Table, type SortOrder } from '../../components/table.tsx';
import { RowRoom, useVirtualRows } from '../../components/virtual-rows.tsx';
import { AgentStatus } from './agent-status.tsx';
import { arrangeRows, FILTER_FROM_AGENTS, type RowSortKey } from './agent-rows.ts';
import { Efficiency } from './efficiency.tsx';
import styles from './agent-table.module.css';

/** Columns of the table. */
const COLUMNS = 6;

/** One row per agent, and the row of the console. Of long tables only the rows are drawn that can be seen. */
export function AgentTable({
  view,
  filter,
  onFilter,
}: {
  view: MonitorView;
  filter: string;
  onFilter: (filter: string) => void;
}): ReactElement {
  const [order, setOrder] = useState<SortOrder<RowSortKey>>({ key: 'name', descending: false });
  const arranged = useMemo(() => arrangeRows(view.rows, order, filter), [view.rows, order, filter]);
  const rows = useVirtualRows(arranged.length);
  const listed = view.rows.length - 1;
  return (
    <Card
      title="Agents"
      description={listed < view.matchingAgents ? leftOut(listed, view.matchingAgents) : undefined}
      flush
      actions={
        view.registeredAgents > FILTER_FROM_AGENTS && (
          <SearchField label="Filter agents by name" value={filter} onChange={onFilter} placeholder="Filter by name" />
        )
      }
    >
      <Table
        label="TPS per agent"
        className={styles.table}
        head={<Head order={order} onSort={setOrder} />}
        rowCount={arranged.length + 1}
        bodyRef={rows.body}
      >
        <RowRoom heightPx={rows.abovePx} columns={COLUMNS} />
        {rows.indices.map((index) => {
          const row = arranged[index];
          return row && <AgentRow key={row.agentId} row={row} index={index} measure={rows.measure} />;
        })}
        <RowRoom heightPx={rows.belowPx} columns={COLUMNS} />
      </Table>
      {view.registeredAgents === 0 && (
        <p className={styles.nothing}>
          No agent is enrolled yet. <Link href="/agents">Enrol one with a single command.</Link>
        </p>
      )}
      {arranged.length === 0 && <p className={styles.nothing}>No agent has “{filter.trim()}” in its name.</p>}
    </Card>
  );
}

function leftOut(listed: number, matching: number): string {
  return `The busiest ${formatCount(listed)} of ${formatPlural(matching, 'agent')}; filter by name to find others`;
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

const AgentRow = memo(function AgentRow({
  row,
  index,
  measure,
}: {
  row: MonitorRow;
  index: number;
  measure: Ref<HTMLTableRowElement>;
}): ReactElement {
  const band = row.efficiencyPercent === null || row.actualTps === 0 ? null : bandOf(row.efficiencyPercent);
  return (
    <tr
      ref={measure}
      className={cx(row.kind === 'console' && styles.console)}
      data-index={index}
      // The head is row 1; screen readers then say where one is, though only a part is drawn.
      aria-rowindex={index + 2}
    >
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
