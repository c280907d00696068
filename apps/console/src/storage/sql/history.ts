import type { WindowRecord } from '@weir/protocol';
import { sql, type Kysely, type Selectable } from 'kysely';
import type { HistoryStore, Retention } from '../../ports/history-store.ts';
import { runInBulk, type BulkStatement } from './bulk-rows.ts';
import type { ColumnKind, SqlDialect } from './dialect.ts';
import { sampleHistory } from './sample-history.ts';
import type { Tables } from './schema.ts';
import { fromJson } from './stored-json.ts';

/** Rows per insert: far below SQLite's bound on parameters. */
const ROWS_PER_INSERT = 500;

/** Columns of a window with what they hold, in the order of `valuesOf`. */
const WINDOW = {
  agent_id: 'text',
  epoch: 'text',
  window_number: 'integer',
  ended_at_ms: 'integer',
  window_ms: 'integer',
  allocated_tps: 'real',
  credit_budget: 'integer',
  charged_ops: 'integer',
  actual_tps: 'real',
  peak_second_tps: 'real',
} as const satisfies Record<keyof Tables['windows'], ColumnKind>;

const ADD_WINDOWS: BulkStatement = {
  before: `insert into windows (${Object.keys(WINDOW).join(', ')})`,
  row: Object.values(WINDOW),
  after: 'on conflict do nothing',
};

/** What the monitor remembers, in SQL. */
export function sqlHistoryStore(db: Kysely<Tables>, dialect: SqlDialect): HistoryStore {
  return {
    ...sampleHistory(db),
    ...windows(db, dialect),
    ...events(db),
    newestSince: (rows, max) => newestSince(db, rows, max),
    prune: (retention, batch) => prune(db, retention, batch),
  };
}

function windows(db: Kysely<Tables>, dialect: SqlDialect): Pick<HistoryStore, 'addWindows' | 'windows'> {
  return {
    addWindows: (records) => runInBulk(db, dialect, ADD_WINDOWS, records.map(valuesOf)),
    async windows(limit) {
      const rows = await db
        .selectFrom('windows')
        .selectAll()
        .orderBy('ended_at_ms', 'desc')
        .orderBy('window_number', 'desc')
        .limit(limit)
        .execute();
      return rows.map(recordOf);
    },
  };
}

function events(db: Kysely<Tables>): Pick<HistoryStore, 'addEvents' | 'eventsSince'> {
  return {
    async addEvents(added) {
      for (let from = 0; from < added.length; from += ROWS_PER_INSERT) {
        const rows = added.slice(from, from + ROWS_PER_INSERT);
        await db
          .insertInto('monitor_events')
          .values(rows.map((event) => ({ at_ms: event.atMs, detail: JSON.stringify(event) })))
          .execute();
      }
    },
    async eventsSince(atMs) {
      const rows = await db
        .selectFrom('monitor_events')
        .select('detail')
        .where('at_ms', '>=', Math.ceil(atMs))
        .orderBy('at_ms')
        .orderBy('event')
        .execute();
      return rows.map((row) => fromJson(row.detail));
    },
  };
}

async function newestSince(db: Kysely<Tables>, rows: 'windows' | 'events', max: number): Promise<number> {
  const [table, column] = rows === 'windows' ? ['windows', 'ended_at_ms'] : ['monitor_events', 'at_ms'];
  const at = sql.ref(column);
  const { rows: found } = await sql<{ at_ms: number }>`
    select ${at} as at_ms from ${sql.table(table)} order by ${at} desc limit 1 offset ${max - 1}`.execute(db);
  return found[0]?.at_ms ?? 0;
}

async function prune(db: Kysely<Tables>, keep: Retention, batch: number): Promise<number> {
  const samplesSinceMs = Math.ceil(keep.samplesSinceMs);
  const deletions = [
    sql`delete from windows where (agent_id, epoch, window_number) in
      (select agent_id, epoch, window_number from windows
       where ended_at_ms < ${Math.ceil(keep.windowsSinceMs)} limit ${batch})`,
    sql`delete from agent_samples where (at_ms, agent_id) in
      (select at_ms, agent_id from agent_samples where at_ms < ${samplesSinceMs} limit ${batch})`,
    sql`delete from samples where at_ms in (select at_ms from samples where at_ms < ${samplesSinceMs} limit ${batch})`,
    sql`delete from monitor_events where event in
      (select event from monitor_events
       where at_ms < ${Math.ceil(keep.eventsSinceMs)} limit ${batch})`,
    ...keep.bucketsSinceMs.flatMap(({ bucketMs, sinceMs }) => [
      sql`delete from history_agents where (bucket_ms, at_ms, agent_id) in
        (select bucket_ms, at_ms, agent_id from history_agents where bucket_ms = ${bucketMs} and at_ms < ${Math.ceil(sinceMs)} limit ${batch})`,
      sql`delete from history_buckets where (bucket_ms, at_ms) in
        (select bucket_ms, at_ms from history_buckets where bucket_ms = ${bucketMs} and at_ms < ${Math.ceil(sinceMs)} limit ${batch})`,
    ]),
  ];
  let deleted = 0;
  for (const deletion of deletions) deleted += Number((await deletion.execute(db)).numAffectedRows ?? 0n);
  return deleted;
}

function valuesOf(record: WindowRecord): (string | number)[] {
  return [
    record.agentId,
    record.epoch,
    record.windowNumber,
    record.endedAtMs,
    record.windowMs,
    record.allocatedTps,
    record.creditBudget,
    record.chargedOps,
    record.actualTps,
    record.peakSecondTps,
  ];
}

function recordOf(row: Selectable<Tables['windows']>): WindowRecord {
  return {
    agentId: row.agent_id,
    epoch: row.epoch,
    windowNumber: row.window_number,
    endedAtMs: row.ended_at_ms,
    windowMs: row.window_ms,
    allocatedTps: row.allocated_tps,
    creditBudget: row.credit_budget,
    chargedOps: row.charged_ops,
    actualTps: row.actual_tps,
    peakSecondTps: row.peak_second_tps,
  };
}
