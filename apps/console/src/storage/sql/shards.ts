import type { CopyCounters, ShardWork } from '@weir/protocol';
import { sql, type Kysely } from 'kysely';
import type { ShardStore } from '../../ports/job-store.ts';
import { NO_COUNTERS } from '../../queue/counters.ts';
import { CLEANED_UP } from '../../queue/job-state.ts';
import type { Shard, ShardOutline } from '../../queue/shard.ts';
import type { ShardRow, Tables } from './schema.ts';
import { fromJson } from './stored-json.ts';

const OUTLINE = [
  'shard_id',
  'job_id',
  'position',
  'kind',
  'key_count',
  'state',
  'lease_id',
  'agent_id',
  'checkpoint',
  'split_into',
  'listed',
  'copied',
  'skipped',
  'failed',
  'bytes',
  'parked_ms',
  'retries',
  'holdoffs',
  'excluded',
  'seen',
  'weight',
  'listed_all',
  'dirty',
  'held_ms',
  'waited_ms',
] as const;
type OutlineRow = Pick<ShardRow, (typeof OUTLINE)[number]>;

/** Rows per insert: 40 columns each, below SQLite's bound on parameters. */
const ROWS_PER_INSERT = 50;

/** Ids per query: below SQLite's bound on parameters. */
const IDS_PER_QUERY = 500;

/** Shards in SQL. */
export function sqlShardStore(db: Kysely<Tables>): ShardStore {
  return {
    async insert(shards) {
      for (let from = 0; from < shards.length; from += ROWS_PER_INSERT) {
        const rows = shards.slice(from, from + ROWS_PER_INSERT).map((shard) => ({
          ...rowOf(shard),
          keys: shard.work.type === 'keys' ? JSON.stringify(shard.work.keys) : null,
        }));
        await db.insertInto('shards').values(rows).execute();
      }
    },
    async get(shardId) {
      const row = await db.selectFrom('shards').selectAll().where('shard_id', '=', shardId).executeTakeFirst();
      return row && shardOf(row);
    },
    async save(shard) {
      await db.updateTable('shards').set(rowOf(shard)).where('shard_id', '=', shard.shardId).execute();
    },
    ...queueQueries(db),
    async countOf(jobId) {
      const row = await db
        .selectFrom('shards')
        .select((expression) => expression.fn.countAll<number>().as('n'))
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow();
      return row.n;
    },
    async allOf(jobId) {
      const rows = await db.selectFrom('shards').selectAll().where('job_id', '=', jobId).orderBy('position').execute();
      return rows.map(shardOf);
    },
    async outlinesOf(jobIds) {
      const outlines: ShardOutline[] = [];
      for (let from = 0; from < jobIds.length; from += IDS_PER_QUERY) {
        const ids = jobIds.slice(from, from + IDS_PER_QUERY);
        const rows = await db
          .selectFrom('shards')
          .select(OUTLINE)
          .where('job_id', 'in', ids)
          .orderBy('job_id')
          .orderBy('position')
          .execute();
        outlines.push(...rows.map(outlineOf));
      }
      return outlines;
    },
    async leased() {
      const rows = await db.selectFrom('shards').select(OUTLINE).where('state', '=', 'leased').execute();
      return rows.map(outlineOf);
    },
    async leasedBy(agentId) {
      const rows = await db
        .selectFrom('shards')
        .select(OUTLINE)
        .where('state', '=', 'leased')
        .where('agent_id', '=', agentId)
        .execute();
      return rows.map(outlineOf);
    },
  };
}

/** What is to be handed out next. */
function queueQueries(db: Kysely<Tables>): Pick<ShardStore, 'nextQueued' | 'nextDirty'> {
  return {
    async nextQueued(protocolVersion = Number.MAX_SAFE_INTEGER) {
      const row = await db
        .selectFrom('jobs')
        .innerJoin('shards', 'shards.job_id', 'jobs.job_id')
        .selectAll('shards')
        .where('jobs.state', 'in', ['queued', 'running'])
        .where('jobs.needs_version', '<=', protocolVersion)
        .where('shards.state', '=', 'queued')
        .orderBy(
          sql`(select count(*) from shards as held where held.job_id = jobs.job_id and held.state = ${sql.lit('leased')})`,
        )
        .orderBy('jobs.sequence')
        .orderBy('shards.position')
        .limit(1)
        .executeTakeFirst();
      return row && shardOf(row);
    },
    async nextDirty() {
      const row = await db
        .selectFrom('shards')
        .innerJoin('jobs', 'shards.job_id', 'jobs.job_id')
        .selectAll('shards')
        .where('jobs.state', 'in', [...CLEANED_UP])
        .where('shards.state', '=', sql.lit('queued'))
        .where('shards.dirty', '=', sql.lit(1))
        .orderBy('jobs.sequence')
        .orderBy('shards.position')
        .limit(1)
        .executeTakeFirst();
      return row && shardOf(row);
    },
  };
}

function rowOf(shard: Shard): Omit<ShardRow, 'keys'> {
  const { work, totals } = shard;
  return {
    shard_id: shard.shardId,
    job_id: shard.jobId,
    position: shard.position,
    kind: work.type,
    start_after: work.type === 'range' ? work.startAfter : null,
    end_at: work.type === 'range' ? work.endAt : null,
    key_count: work.type === 'keys' ? work.keys.length : 0,
    state: shard.state,
    lease_id: shard.leaseId,
    agent_id: shard.agentId,
    checkpoint: shard.checkpoint,
    split_into: shard.splitInto,
    split_at: shard.splitAt && JSON.stringify(shard.splitAt),
    base: JSON.stringify(shard.base),
    at_checkpoint: JSON.stringify(shard.atCheckpoint),
    listed: totals.objectsListed,
    copied: totals.objectsCopied,
    skipped: totals.objectsSkipped,
    failed: totals.objectsFailed,
    bytes: totals.bytesCopied,
    excluded: totals.objectsExcluded,
    parked_ms: totals.parkedMs,
    retries: totals.retries,
    base_holdoffs: shard.baseHoldoffs,
    holdoffs: shard.holdoffs,
    seen: JSON.stringify(shard.seen),
    weight: shard.weight,
    listed_all: shard.listed ? 1 : 0,
    dirty: shard.dirty ? 1 : 0,
    lease_kind: shard.leaseKind,
    manifest: shard.manifest && JSON.stringify(shard.manifest),
    base_held_ms: shard.baseHeldMs,
    held_ms: shard.heldMs,
    base_waited_ms: shard.baseWaitedMs,
    waited_ms: shard.waitedMs,
  };
}

function totalsOf(row: OutlineRow): CopyCounters {
  return {
    objectsListed: row.listed,
    objectsCopied: row.copied,
    objectsSkipped: row.skipped,
    objectsExcluded: row.excluded,
    objectsFailed: row.failed,
    bytesCopied: row.bytes,
    parkedMs: row.parked_ms,
    retries: row.retries,
  };
}

function outlineOf(row: OutlineRow): ShardOutline {
  return {
    shardId: row.shard_id,
    jobId: row.job_id,
    position: row.position,
    kind: row.kind === 'keys' ? 'keys' : 'range',
    keyCount: row.key_count,
    state: stateOf(row.state),
    leaseId: row.lease_id,
    agentId: row.agent_id,
    checkpoint: row.checkpoint,
    splitInto: row.split_into,
    totals: totalsOf(row),
    ...laterFigures(row),
  };
}

/** Counters that were written as JSON, perhaps before there were as many of them. */
function countersOf(text: string | null): CopyCounters {
  return { ...NO_COUNTERS, ...(text === null ? {} : fromJson<Partial<CopyCounters>>(text)) };
}

function laterFigures(
  row: OutlineRow,
): Pick<ShardOutline, 'seen' | 'weight' | 'listed' | 'dirty' | 'heldMs' | 'waitedMs' | 'holdoffs'> {
  return {
    seen: countersOf(row.seen),
    weight: row.weight,
    listed: row.listed_all === 1,
    dirty: row.dirty === 1,
    heldMs: row.held_ms,
    waitedMs: row.waited_ms,
    holdoffs: row.holdoffs,
  };
}

function shardOf(row: ShardRow): Shard {
  const work: ShardWork =
    row.kind === 'keys'
      ? { type: 'keys', keys: fromJson(row.keys ?? '[]') }
      : { type: 'range', startAfter: row.start_after, endAt: row.end_at };
  return {
    shardId: row.shard_id,
    jobId: row.job_id,
    position: row.position,
    work,
    state: stateOf(row.state),
    leaseId: row.lease_id,
    agentId: row.agent_id,
    checkpoint: row.checkpoint,
    splitInto: row.split_into,
    splitAt: row.split_at === null ? null : fromJson(row.split_at),
    base: countersOf(row.base),
    atCheckpoint: countersOf(row.at_checkpoint),
    totals: totalsOf(row),
    leaseKind: row.lease_kind === 'clean-up' ? 'clean-up' : 'copy',
    manifest: row.manifest === null ? null : fromJson(row.manifest),
    baseHeldMs: row.base_held_ms,
    baseWaitedMs: row.base_waited_ms,
    baseHoldoffs: row.base_holdoffs,
    ...laterFigures(row),
  };
}

function stateOf(text: string): Shard['state'] {
  return text === 'leased' || text === 'done' ? text : 'queued';
}
