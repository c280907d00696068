import { ASSIGNMENT_NEEDS, limiterNeeds, versionFor, type Assignment, type S3Location } from '@weir/protocol';
import type { StoredEndpoint } from '../ports/endpoint-store.ts';
import type { JobSide, StoredJob } from '../ports/job-store.ts';
import { leaseShard, returnShard, triedBefore, type Shard } from '../queue/shard.ts';
import { ConsoleError, isConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { requireAllowedAddress } from './endpoint-addresses.ts';
import { secretOf } from './endpoint-secret.ts';
import { failJob } from './fail-job.ts';
import { limiterInstructions } from './limiter-instructions.ts';

/**
 * Takes the next shard of the oldest job for an agent; null when nothing is queued that an agent of its version can do: what
 * an older one would ignore waits for a newer one. A job whose endpoint is gone or has
 * become forbidden fails here, and the next one is tried.
 */
export async function takeShard(context: ConsoleContext, agentId: string): Promise<Assignment | null> {
  for (;;) {
    const taken = await leaseNext(context, agentId);
    if (taken === null) return null;
    const { job, sides, shard, leaseId, heldBefore } = taken;
    context.leases.begin({ leaseId, shardId: shard.shardId, jobId: job.jobId, agentId }, context.clock.steadyMs());
    try {
      const source = await locationOf(context, job.source, sides.source);
      const target = await locationOf(context, job.target, sides.target);
      return {
        jobId: job.jobId,
        jobName: job.name,
        shardId: shard.shardId,
        leaseId,
        kind: shard.leaseKind,
        mode: job.mode,
        options: job.options,
        source,
        target,
        work: shard.work,
        checkpoint: shard.checkpoint,
        manifest: shard.manifest,
        startedAtMs: job.startedAtMs ?? job.createdAtMs,
        heldBefore,
        splitInto: shard.splitInto,
      };
    } catch (error) {
      const reason = isConsoleError(error)
        ? { code: error.code, message: error.message }
        : { code: 'internal', message: 'The endpoint of this job cannot be read; the log of the console says why.' };
      context.log.error({ jobId: job.jobId, error: String(error) }, 'a job cannot be handed out');
      if (shard.leaseKind === 'copy') await failJob(context, job.jobId, reason);
      else await giveUpCleanUp(context, shard.shardId, leaseId);
    }
  }
}

interface Taken {
  job: StoredJob;
  /** Its endpoints; undefined: gone. */
  sides: Record<'source' | 'target', StoredEndpoint | undefined>;
  shard: Shard;
  leaseId: string;
  heldBefore: boolean;
}

async function leaseNext(context: ConsoleContext, agentId: string): Promise<Taken | null> {
  const version = context.fleet.get(agentId)?.protocolVersion ?? 0;
  if (version < versionFor(limiterNeeds(limiterInstructions(context.governor)))) return null;
  return context.storage.transaction(async (stores) => {
    // Cleaning up comes first: it is short, and what was left costs money as long as it lies there.
    const dirty = version < ASSIGNMENT_NEEDS['clean-up'] ? undefined : await stores.shards.nextDirty();
    const queued = dirty ?? (await stores.shards.nextQueued(version));
    const job = queued && (await stores.jobs.get(queued.jobId));
    if (queued === undefined || job === undefined) return null;
    const leaseId = context.random.id('lse');
    const shard = leaseShard(queued, leaseId, agentId, dirty === undefined ? 'copy' : 'clean-up');
    await stores.shards.save(shard);
    if (job.state === 'queued') {
      job.state = 'running';
      job.startedAtMs ??= context.clock.nowMs();
      await stores.jobs.save(job);
    }
    // Read here: that the database failed says nothing about the job, and must not end it.
    const source = await stores.endpoints.get(job.source.endpointId);
    const target = await stores.endpoints.get(job.target.endpointId);
    return { job, sides: { source, target }, shard, leaseId, heldBefore: triedBefore(queued) };
    // Reports of a large fleet may wait for the database; an agent without work waits for this one.
  }, 'urgent');
}

/** A place that cannot be reached any more cannot be cleaned up either. */
async function giveUpCleanUp(context: ConsoleContext, shardId: string, leaseId: string): Promise<void> {
  await context.storage.transaction(async (stores) => {
    const shard = await stores.shards.get(shardId);
    if (shard?.leaseId === leaseId) await stores.shards.save({ ...returnShard(shard, false), dirty: false });
  });
  context.leases.end(leaseId);
}

async function locationOf(
  context: ConsoleContext,
  side: JobSide,
  endpoint: StoredEndpoint | undefined,
): Promise<S3Location> {
  if (endpoint === undefined) {
    throw new ConsoleError('not-found', `The endpoint ${side.endpointName} of this job was removed: make a new job.`);
  }
  await requireAllowedAddress(context, endpoint.url, 'url');
  return {
    url: endpoint.url,
    region: endpoint.region,
    pathStyle: endpoint.pathStyle,
    accessKeyId: endpoint.accessKeyId,
    secretAccessKey: context.secretBox.open(endpoint.sealedSecret, secretOf(endpoint.endpointId)),
    bucket: side.bucket,
    prefix: side.prefix,
  };
}
