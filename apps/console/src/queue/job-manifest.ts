import type { ManifestBody } from '@weir/protocol';
import type { StoredJob } from '../ports/job-store.ts';
import { jobProgress } from './job-progress.ts';
import type { Shard, ShardOutline } from './shard.ts';

/** What a manifest needs besides the job and its shards. */
export interface ManifestParts {
  /** Addresses of both sides; null: the endpoint was removed. */
  sourceUrl: string | null;
  targetUrl: string | null;
  failuresListed: number;
  /** SHA-256 in hex. */
  sha256: (text: string) => string;
}

/**
 * What the console vouches for: the job, its shards in order, and one digest over their chains. A chain is computed by the
 * agents object by object, so whoever has the list of objects can compute it again.
 */
export function manifestOf(job: StoredJob, shards: readonly Shard[], parts: ManifestParts): ManifestBody {
  const lines = shards.map(({ position, manifest }) => {
    return manifest === null ? `${position} -\n` : `${position} ${manifest.digest} ${manifest.entries}\n`;
  });
  return {
    format: 'weir-manifest/1',
    jobId: job.jobId,
    name: job.name,
    state: job.state,
    mode: job.mode,
    options: job.options,
    source: placeOf(job.source, parts.sourceUrl),
    target: placeOf(job.target, parts.targetUrl),
    createdBy: job.createdBy,
    createdAtMs: job.createdAtMs,
    startedAtMs: job.startedAtMs,
    finishedAtMs: job.finishedAtMs,
    counters: jobProgress(shards.map(outlineOf)).counters,
    failuresListed: parts.failuresListed,
    shards: shards.map((shard) => ({
      position: shard.position,
      work: shard.work.type === 'range' ? shard.work : { type: 'keys', keyCount: shard.work.keys.length },
      counters: shard.totals,
      chain: shard.manifest,
    })),
    digest: parts.sha256(lines.join('')),
  };
}

function outlineOf(shard: Shard): ShardOutline {
  return {
    ...shard,
    kind: shard.work.type,
    keyCount: shard.work.type === 'keys' ? shard.work.keys.length : 0,
  };
}

function placeOf(side: StoredJob['source'], url: string | null): ManifestBody['source'] {
  return { endpointName: side.endpointName, url, bucket: side.bucket, prefix: side.prefix };
}
