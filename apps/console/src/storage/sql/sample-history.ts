import { sql, type Kysely, type Selectable } from 'kysely';
import type { HistoryBucket, HistoryStore, Sample } from '../../ports/history-store.ts';
import type { Tables } from './schema.ts';

/** Rows per insert: 5 to 10 columns each, below SQLite's bound on parameters. */
const ROWS_PER_INSERT = 500;

/**
 * Agents that a bucket keeps: enough for every line that a chart can show. With three lengths of buckets this is what bounds
 * the history: about 500 buckets of 50 rows, whatever the size of the fleet.
 */
const AGENTS_PER_BUCKET = 50;

/** Samples, and the buckets that they are added up in, in SQL. */
export function sampleHistory(db: Kysely<Tables>): Pick<HistoryStore, 'addSample' | 'samplesSince' | 'bucketsSince'> {
  return {
    async addSample(sample, bucketsMs) {
      // A second sample of the same moment, from a clock that was set back, must not be added up twice.
      if (!(await insertSample(db, sample))) return;
      for (const bucketMs of bucketsMs) await addToBucket(db, bucketMs, sample);
    },
    async samplesSince(moment) {
      const atMs = Math.ceil(moment);
      const totals = await db.selectFrom('samples').selectAll().where('at_ms', '>=', atMs).orderBy('at_ms').execute();
      const byTime = new Map(
        totals.map((row): [number, Sample] => [
          row.at_ms,
          {
            atMs: row.at_ms,
            limitTps: row.limit_tps,
            setLimitTps: row.set_limit_tps ?? row.limit_tps,
            totalTps: row.total_tps,
            agents: [],
          },
        ]),
      );
      const rows = await db.selectFrom('agent_samples').selectAll().where('at_ms', '>=', atMs).execute();
      for (const { at_ms, agent_id, actual_tps, allocated_tps, mbps } of rows) {
        const agent = { agentId: agent_id, actualTps: actual_tps, allocatedTps: allocated_tps, mbps };
        byTime.get(at_ms)?.agents.push(agent);
      }
      return [...byTime.values()];
    },
    async bucketsSince(bucketMs, moment) {
      const atMs = Math.ceil(moment);
      const buckets = await db
        .selectFrom('history_buckets')
        .selectAll()
        .where('bucket_ms', '=', bucketMs)
        .where('at_ms', '>=', atMs)
        .orderBy('at_ms')
        .execute();
      const agents = await db
        .selectFrom('history_agents')
        .selectAll()
        .where('bucket_ms', '=', bucketMs)
        .where('at_ms', '>=', atMs)
        .execute();
      return merged(buckets, agents);
    },
  };
}

async function insertSample(db: Kysely<Tables>, sample: Sample): Promise<boolean> {
  const { atMs, limitTps, setLimitTps, totalTps, agents } = sample;
  const inserted = await db
    .insertInto('samples')
    .values({ at_ms: atMs, limit_tps: limitTps, set_limit_tps: setLimitTps, total_tps: totalTps })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) return false;
  for (let from = 0; from < agents.length; from += ROWS_PER_INSERT) {
    const rows = agents.slice(from, from + ROWS_PER_INSERT).map((agent) => ({
      at_ms: atMs,
      agent_id: agent.agentId,
      actual_tps: agent.actualTps,
      allocated_tps: agent.allocatedTps,
      mbps: agent.mbps,
    }));
    await db.insertInto('agent_samples').values(rows).execute();
  }
  return true;
}

async function addToBucket(db: Kysely<Tables>, bucketMs: number, sample: Sample): Promise<void> {
  const atMs = Math.floor(sample.atMs / bucketMs) * bucketMs;
  const { limitTps, setLimitTps, totalTps } = sample;
  const loweredTps = limitTps !== null && setLimitTps !== null && limitTps < setLimitTps ? limitTps : null;
  const { rows } = await sql<{ samples: number }>`
    insert into history_buckets as bucket
      (bucket_ms, at_ms, samples, limit_tps, set_limit_tps, lowered_limit_tps, total_sum, total_max)
    values (${bucketMs}, ${atMs}, 1, ${limitTps}, ${setLimitTps}, ${loweredTps}, ${totalTps}, ${totalTps})
    on conflict (bucket_ms, at_ms) do update set
      samples = bucket.samples + 1,
      limit_tps = case when bucket.limit_tps > excluded.limit_tps or excluded.limit_tps is null
        then bucket.limit_tps else excluded.limit_tps end,
      set_limit_tps = case when bucket.set_limit_tps > excluded.set_limit_tps or excluded.set_limit_tps is null
        then bucket.set_limit_tps else excluded.set_limit_tps end,
      lowered_limit_tps = case when bucket.lowered_limit_tps < excluded.lowered_limit_tps
        or excluded.lowered_limit_tps is null then bucket.lowered_limit_tps else excluded.lowered_limit_tps end,
      total_sum = bucket.total_sum + excluded.total_sum,
      total_max = case when bucket.total_max > excluded.total_max then bucket.total_max else excluded.total_max end
    returning samples`.execute(db);
  if (rows[0]?.samples === 1) await trimBucketBefore(db, bucketMs, atMs);
  const agents = sample.agents.slice(0, AGENTS_PER_BUCKET).map((agent) => ({
    bucket_ms: bucketMs,
    at_ms: atMs,
    agent_id: agent.agentId,
    tps_sum: agent.actualTps,
  }));
  if (agents.length === 0) return;
  await db
    .insertInto('history_agents')
    .values(agents)
    .onConflict((conflict) =>
      conflict
        .columns(['bucket_ms', 'at_ms', 'agent_id'])
        .doUpdateSet({ tps_sum: sql`history_agents.tps_sum + excluded.tps_sum` }),
    )
    .execute();
}

/** The bucket before a new one is complete: only its busiest agents stay. */
async function trimBucketBefore(db: Kysely<Tables>, bucketMs: number, atMs: number): Promise<void> {
  const { rows } = await sql<{ at_ms: number | null }>`
    select max(at_ms) as at_ms from history_buckets where bucket_ms = ${bucketMs} and at_ms < ${atMs}`.execute(db);
  const beforeMs = rows[0]?.at_ms ?? null;
  if (beforeMs === null) return;
  await sql`delete from history_agents where bucket_ms = ${bucketMs} and at_ms = ${beforeMs} and agent_id not in (
    select agent_id from history_agents where bucket_ms = ${bucketMs} and at_ms = ${beforeMs}
    order by tps_sum desc limit ${AGENTS_PER_BUCKET})`.execute(db);
}

function merged(
  buckets: readonly Selectable<Tables['history_buckets']>[],
  agents: readonly Selectable<Tables['history_agents']>[],
): HistoryBucket[] {
  const byTime = new Map(
    buckets.map((row) => [
      row.at_ms,
      {
        samples: row.samples,
        bucket: {
          atMs: row.at_ms,
          limitTps: row.lowered_limit_tps ?? row.limit_tps,
          setLimitTps: row.set_limit_tps ?? row.limit_tps,
          totalTps: row.total_sum / row.samples,
          peakTps: row.total_max,
          agents: [] as HistoryBucket['agents'],
        },
      },
    ]),
  );
  for (const { at_ms, agent_id, tps_sum } of agents) {
    const found = byTime.get(at_ms);
    found?.bucket.agents.push({ agentId: agent_id, actualTps: tps_sum / found.samples });
  }
  for (const { bucket } of byTime.values()) bucket.agents.sort((a, b) => b.actualTps - a.actualTps);
  return Array.from(byTime.values(), ({ bucket }) => bucket);
}
