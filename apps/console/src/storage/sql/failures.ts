import { MAX_FAILURES_PER_JOB, type CopyFailure } from '@weir/protocol';
import { sql, type Kysely } from 'kysely';
import type { FailureStore } from '../../ports/job-store.ts';
import type { Tables } from './schema.ts';

/** Rows per statement: 6 columns each, below SQLite's bound on parameters. */
const ROWS_PER_INSERT = 500;

/** Failed objects in SQL. Keys compare by their UTF-8 bytes, as S3 orders them. */
export function sqlFailureStore(db: Kysely<Tables>): FailureStore {
  const count = async (column: 'job_id' | 'shard_id', id: string): Promise<number> => {
    const row = await db
      .selectFrom('failures')
      .select((expression) => expression.fn.countAll<number>().as('n'))
      .where(column, '=', id)
      .executeTakeFirstOrThrow();
    return row.n;
  };
  return {
    async record(jobId, shardId, failures) {
      if (failures.length === 0) return;
      let room = MAX_FAILURES_PER_JOB - (await count('job_id', jobId));
      // One statement must not meet a key twice: what was said last holds.
      const latest = [...new Map(failures.map((failure) => [failure.key, failure])).values()];
      for (let from = 0; from < latest.length; from += ROWS_PER_INSERT) {
        const batch = latest.slice(from, from + ROWS_PER_INSERT);
        const known = await knownAmong(
          db,
          jobId,
          batch.map((failure) => failure.key),
        );
        const kept = batch.filter(({ key }) => known.has(key) || room-- > 0);
        if (kept.length === 0) continue;
        await db
          .insertInto('failures')
          .values(kept.map((failure) => rowOf(jobId, shardId, failure)))
          .onConflict((conflict) =>
            conflict.columns(['job_id', 'key']).doUpdateSet((expression) => ({
              shard_id: expression.ref('excluded.shard_id'),
              code: expression.ref('excluded.code'),
              message: expression.ref('excluded.message'),
              request_id: expression.ref('excluded.request_id'),
            })),
          )
          .execute();
      }
    },
    async list(jobId, limit, afterKey) {
      let query = db
        .selectFrom('failures')
        .select(['key', 'code', 'message', 'request_id'])
        .where('job_id', '=', jobId);
      if (afterKey !== undefined) query = query.where('key', '>', afterKey);
      const rows = await query.orderBy('key').limit(limit).execute();
      return rows.map(({ key, code, message, request_id }) => ({ key, code, message, requestId: request_id }));
    },
    prune: (endedBeforeMs, batch) => prune(db, endedBeforeMs, batch),
    async keysOf(shardId) {
      const rows = await db
        .selectFrom('failures')
        .select('key')
        .where('shard_id', '=', shardId)
        .orderBy('key')
        .execute();
      return rows.map((row) => row.key);
    },
    countOf: (shardId) => count('shard_id', shardId),
    async forget(shardId, afterKey) {
      let query = db.deleteFrom('failures').where('shard_id', '=', shardId);
      if (afterKey !== null) query = query.where('key', '>', afterKey);
      await query.execute();
    },
  };
}

async function prune(db: Kysely<Tables>, endedBeforeMs: number, batch: number): Promise<number> {
  let deleted = 0;
  for (const table of ['failures', 'planned'] as const) {
    const result = await sql`delete from ${sql.table(table)} where (job_id, key) in
      (select t.job_id, t.key from jobs join ${sql.table(table)} as t on t.job_id = jobs.job_id
       where jobs.finished_at_ms < ${Math.ceil(endedBeforeMs)} limit ${batch})`.execute(db);
    deleted += Number(result.numAffectedRows ?? 0n);
  }
  return deleted;
}

async function knownAmong(db: Kysely<Tables>, jobId: string, keys: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('failures')
    .select('key')
    .where('job_id', '=', jobId)
    .where('key', 'in', keys)
    .execute();
  return new Set(rows.map((row) => row.key));
}

function rowOf(jobId: string, shardId: string, failure: CopyFailure): Tables['failures'] {
  const { key, code, message, requestId } = failure;
  return { job_id: jobId, key, shard_id: shardId, code, message, request_id: requestId };
}
