import { MAX_FAILURES_PER_JOB } from '@weir/protocol';
import type { Kysely } from 'kysely';
import type { FailureStore } from '../../ports/job-store.ts';
import type { Tables } from './schema.ts';

/** Failed objects in SQLite. Keys compare by their UTF-8 bytes, as S3 orders them. */
export function sqliteFailureStore(db: Kysely<Tables>): FailureStore {
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
      for (const { key, code, message, requestId } of failures) {
        const values = { shard_id: shardId, code, message, request_id: requestId };
        const known = db.updateTable('failures').set(values).where('job_id', '=', jobId).where('key', '=', key);
        if ((await known.executeTakeFirst()).numUpdatedRows > 0n || room <= 0) continue;
        await db
          .insertInto('failures')
          .values({ job_id: jobId, key, ...values })
          .execute();
        room -= 1;
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
