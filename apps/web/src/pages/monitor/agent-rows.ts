import type { MonitorRow } from '@weir/protocol';
import type { SortOrder } from '../../components/table.tsx';

/** Columns that sort. */
export type RowSortKey = 'name' | 'status' | 'allocated' | 'actual' | 'efficiency' | 'mbps';

/** With more agents than this a filter appears. */
export const FILTER_FROM_AGENTS = 10;

/** Rows in the chosen order, only those whose name contains `filter`. The row of the console stays last. */
export function arrangeRows(rows: readonly MonitorRow[], order: SortOrder<RowSortKey>, filter: string): MonitorRow[] {
  const wanted = filter.trim().toLocaleLowerCase();
  const sign = order.descending ? -1 : 1;
  return rows
    .filter((row) => wanted === '' || row.name.toLocaleLowerCase().includes(wanted))
    .sort(
      (a, b) =>
        Number(a.kind === 'console') - Number(b.kind === 'console') ||
        sign * compareBy(order.key, a, b) ||
        compareNames(a, b),
    );
}

function compareBy(key: RowSortKey, a: MonitorRow, b: MonitorRow): number {
  switch (key) {
    case 'name':
      return compareNames(a, b);
    case 'status':
      return statusRank(a) - statusRank(b);
    case 'allocated':
      return a.allocatedTps - b.allocatedTps;
    case 'actual':
      return a.actualTps - b.actualTps;
    case 'efficiency':
      return (a.efficiencyPercent ?? -1) - (b.efficiencyPercent ?? -1);
    case 'mbps':
      return a.actualMbps - b.actualMbps;
    default:
      return key satisfies never;
  }
}

function compareNames(a: MonitorRow, b: MonitorRow): number {
  return a.name.localeCompare(b.name, 'en', { numeric: true }) || (a.agentId < b.agentId ? -1 : 1);
}

/** What needs a look comes first: holdoff, unthrottled, running, idle, offline. */
function statusRank(row: MonitorRow): number {
  if (row.holdoffUntilMs !== null) return 0;
  if (!row.throttled) return 1;
  if (row.status === 'running') return 2;
  return row.online ? 3 : 4;
}
