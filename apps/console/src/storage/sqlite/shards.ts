import type { CopyCounters, ShardWork } from '@weir/protocol';
import type { Kysely } from 'kysely';
import type { ShardStore } from '../../ports/job-store.ts';
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
] as const;
type OutlineRow = Pick<ShardRow, (typeof OUTLINE)[number]>;

/** Ids per query: below SQLite's bound on parameters. */
const IDS_PER_QUERY = 500;

/** Shards in SQLite. */
export function sqliteShardStore(db: Kysely<Tables>): ShardStore {
  return {
    async insert(shards) {
      for (const shard of shards) {
        const keys = shard.work.type === 'keys' ? JSON.stringify(shard.work.keys) : null;
        await db
          .insertInto('shards')
          .values({ ...rowOf(shard), keys })
          .execute();
      }
    },
    async get(shardId) {
      const row = await db.selectFrom('shards').selectAll().where('shard_id', '=', shardId).executeTakeFirst();
      return row && shardOf(row);
    },
    async save(shard) {
      await db.updateTable('shards').set(rowOf(shard)).where('shard_id', '=', shard.shardId).execute();
    },
    async nextQueued() {
      const row = await db
        .selectFrom('jobs')
        .innerJoin('shards', 'shards.job_id', 'jobs.job_id')
        .selectAll('shards')
        .where('jobs.state', 'in', ['queued', 'running'])
        .where('shards.state', '=', 'queued')
        .orderBy('jobs.sequence')
        .orderBy('shards.position')
        .limit(1)
        .executeTakeFirst();
      return row && shardOf(row);
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
    parked_ms: totals.parkedMs,
    retries: totals.retries,
    base_holdoffs: shard.baseHoldoffs,
    holdoffs: shard.holdoffs,
  };
}

function totalsOf(row: OutlineRow): CopyCounters {
  return {
    objectsListed: row.listed,
    objectsCopied: row.copied,
    objectsSkipped: row.skipped,
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
    base: fromJson(row.base),
    atCheckpoint: fromJson(row.at_checkpoint),
    totals: totalsOf(row),
    baseHoldoffs: row.base_holdoffs,
    holdoffs: row.holdoffs,
  };
}

function stateOf(text: string): Shard['state'] {
  return text === 'leased' || text === 'done' ? text : 'queued';
}
