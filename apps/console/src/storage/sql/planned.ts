import { MAX_PLANNED_PER_JOB, type PlannedObject } from '@weir/protocol';
import type { Kysely } from 'kysely';
import type { PlannedStore } from '../../ports/job-store.ts';
import type { Tables } from './schema.ts';

/** Samples of dry runs in SQL. */
export function sqlPlannedStore(db: Kysely<Tables>): PlannedStore {
  return {
    async record(jobId, objects) {
      if (objects.length === 0) return;
      const { n } = await db
        .selectFrom('planned')
        .select((expression) => expression.fn.countAll<number>().as('n'))
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow();
      const room = MAX_PLANNED_PER_JOB - n;
      if (room <= 0) return;
      const rows = objects
        .slice(0, room)
        .map(({ key, sizeBytes, action }) => ({ job_id: jobId, key, size_bytes: sizeBytes, action }));
      await db
        .insertInto('planned')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async list(jobId) {
      const rows = await db.selectFrom('planned').selectAll().where('job_id', '=', jobId).orderBy('key').execute();
      return rows.map((row) => ({ key: row.key, sizeBytes: row.size_bytes, action: actionOf(row.action) }));
    },
  };
}

function actionOf(text: string): PlannedObject['action'] {
  return text === 'skip' || text === 'exclude' ? text : 'copy';
}
