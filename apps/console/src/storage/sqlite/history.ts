import type { WindowRecord } from '@weir/protocol';
import { sql, type Insertable, type Kysely, type Selectable } from 'kysely';
import type { HistoryStore, Sample } from '../../ports/history-store.ts';
import type { Tables } from './schema.ts';

/** Rows per insert: 5 to 10 columns each, below SQLite's bound on parameters. */
const ROWS_PER_INSERT = 500;

/** Samples and finished windows in SQLite. */
export function sqliteHistoryStore(db: Kysely<Tables>): HistoryStore {
  return { ...samples(db), ...windows(db) };
}

function samples(db: Kysely<Tables>): Pick<HistoryStore, 'addSample' | 'samplesSince'> {
  return {
    async addSample({ atMs, limitTps, totalTps, agents }) {
      await db
        .insertInto('samples')
        .values({ at_ms: atMs, limit_tps: limitTps, total_tps: totalTps })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      for (let from = 0; from < agents.length; from += ROWS_PER_INSERT) {
        const rows = agents.slice(from, from + ROWS_PER_INSERT).map((agent) => ({
          at_ms: atMs,
          agent_id: agent.agentId,
          actual_tps: agent.actualTps,
          allocated_tps: agent.allocatedTps,
          mbps: agent.mbps,
        }));
        await db
          .insertInto('agent_samples')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },
    async samplesSince(atMs) {
      const totals = await db.selectFrom('samples').selectAll().where('at_ms', '>=', atMs).orderBy('at_ms').execute();
      const byTime = new Map(
        totals.map((row): [number, Sample] => [
          row.at_ms,
          { atMs: row.at_ms, limitTps: row.limit_tps, totalTps: row.total_tps, agents: [] },
        ]),
      );
      const rows = await db.selectFrom('agent_samples').selectAll().where('at_ms', '>=', atMs).execute();
      for (const { at_ms, agent_id, actual_tps, allocated_tps, mbps } of rows) {
        const agent = { agentId: agent_id, actualTps: actual_tps, allocatedTps: allocated_tps, mbps };
        byTime.get(at_ms)?.agents.push(agent);
      }
      return [...byTime.values()];
    },
  };
}

function windows(db: Kysely<Tables>): Pick<HistoryStore, 'addWindows' | 'windows' | 'prune'> {
  return {
    async addWindows(records) {
      for (let from = 0; from < records.length; from += ROWS_PER_INSERT) {
        await db
          .insertInto('windows')
          .values(records.slice(from, from + ROWS_PER_INSERT).map(rowOf))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },
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
    async prune(beforeMs, batch) {
      const deletions = [
        sql`delete from windows where (agent_id, epoch, window_number) in
          (select agent_id, epoch, window_number from windows where ended_at_ms < ${beforeMs} limit ${batch})`,
        sql`delete from agent_samples where (at_ms, agent_id) in
          (select at_ms, agent_id from agent_samples where at_ms < ${beforeMs} limit ${batch})`,
        sql`delete from samples where at_ms in (select at_ms from samples where at_ms < ${beforeMs} limit ${batch})`,
      ];
      let deleted = 0;
      for (const deletion of deletions) deleted += Number((await deletion.execute(db)).numAffectedRows ?? 0n);
      return deleted;
    },
  };
}

function rowOf(record: WindowRecord): Insertable<Tables['windows']> {
  return {
    agent_id: record.agentId,
    epoch: record.epoch,
    window_number: record.windowNumber,
    ended_at_ms: record.endedAtMs,
    window_ms: record.windowMs,
    allocated_tps: record.allocatedTps,
    credit_budget: record.creditBudget,
    charged_ops: record.chargedOps,
    actual_tps: record.actualTps,
    peak_second_tps: record.peakSecondTps,
  };
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
