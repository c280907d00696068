import { jobOptions, type JobState } from '@weir/protocol';
import type { Kysely } from 'kysely';
import type { JobStore, StoredJob } from '../../ports/job-store.ts';
import { UNFINISHED } from '../../queue/job-state.ts';
import type { JobRow, Tables } from './schema.ts';
import { fromJson } from './stored-json.ts';

/** Copy jobs in SQL. */
export function sqlJobStore(db: Kysely<Tables>): JobStore {
  return {
    async insert(job) {
      await db.insertInto('jobs').values(rowOf(job)).execute();
    },
    async get(jobId) {
      const row = await db.selectFrom('jobs').selectAll().where('job_id', '=', jobId).executeTakeFirst();
      return row && jobOf(row);
    },
    async save(job) {
      await db.updateTable('jobs').set(rowOf(job)).where('job_id', '=', job.jobId).execute();
    },
    async list(limit) {
      const rows = await db.selectFrom('jobs').selectAll().orderBy('sequence', 'desc').limit(limit).execute();
      return rows.map(jobOf);
    },
    async countUnfinishedUsing(endpointId) {
      const row = await db
        .selectFrom('jobs')
        .select((expression) => expression.fn.countAll<number>().as('n'))
        .where('state', 'in', [...UNFINISHED])
        .where((expression) =>
          expression.or([
            expression('source_endpoint_id', '=', endpointId),
            expression('target_endpoint_id', '=', endpointId),
          ]),
        )
        .executeTakeFirstOrThrow();
      return row.n;
    },
    delete: (jobId) => deleteAll(db, [jobId]),
    async prune(endedBeforeMs, batch) {
      const rows = await db
        .selectFrom('jobs')
        .select('job_id')
        .where('finished_at_ms', '<', Math.ceil(endedBeforeMs))
        .where((expression) =>
          expression.not(
            expression.exists(
              expression
                .selectFrom('shards')
                .select('shard_id')
                .whereRef('shards.job_id', '=', 'jobs.job_id')
                .where((shard) => shard.or([shard('shards.state', '=', 'leased'), shard('shards.dirty', '=', 1)])),
            ),
          ),
        )
        .orderBy('finished_at_ms')
        .limit(batch)
        .execute();
      const ids = rows.map((row) => row.job_id);
      await deleteAll(db, ids);
      return ids.length;
    },
    async countByState() {
      const rows = await db
        .selectFrom('jobs')
        .select((expression) => ['state', expression.fn.countAll<number>().as('n')])
        .groupBy('state')
        .execute();
      return new Map(rows.map((row) => [stateOf(row.state), row.n]));
    },
  };
}

async function deleteAll(db: Kysely<Tables>, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length === 0) return;
  for (const table of ['failures', 'planned', 'shards', 'jobs'] as const) {
    await db.deleteFrom(table).where('job_id', 'in', jobIds).execute();
  }
}

function rowOf(job: StoredJob): JobRow {
  return {
    job_id: job.jobId,
    name: job.name,
    source_endpoint_id: job.source.endpointId,
    target_endpoint_id: job.target.endpointId,
    source: JSON.stringify(job.source),
    target: JSON.stringify(job.target),
    mode: job.mode,
    options: JSON.stringify(job.options),
    needs_version: job.needsVersion,
    state: job.state,
    error: job.error && JSON.stringify(job.error),
    created_by: job.createdBy,
    created_at_ms: job.createdAtMs,
    started_at_ms: job.startedAtMs,
    finished_at_ms: job.finishedAtMs,
  };
}

function stateOf(text: string): JobState {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only job states are written to the column
  return text as JobState;
}

function jobOf(row: JobRow): StoredJob {
  return {
    jobId: row.job_id,
    name: row.name,
    source: fromJson(row.source),
    target: fromJson(row.target),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only copy modes are written to the column
    mode: row.mode as StoredJob['mode'],
    // Options that the job was made without have their defaults.
    options: jobOptions.parse(JSON.parse(row.options)),
    needsVersion: row.needs_version,
    state: stateOf(row.state),
    error: row.error === null ? null : fromJson(row.error),
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    startedAtMs: row.started_at_ms,
    finishedAtMs: row.finished_at_ms,
  };
}
