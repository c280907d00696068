import { jobNeeds, versionFor, type FieldProblem, type JobInput, type JobView } from '@weir/protocol';
import type { StoredEndpoint } from '../ports/endpoint-store.ts';
import type { StoredJob } from '../ports/job-store.ts';
import { newShard } from '../queue/shard.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { requireAllowedAddress } from './endpoint-addresses.ts';
import { secretOf } from './endpoint-secret.ts';
import { endpointRefused, probeWithin } from './probe-endpoint.ts';
import { jobViewOf } from './read-job.ts';

type Side = 'source' | 'target';

/**
 * Checks both sides of a job at their servers and queues it. Nothing is written unless both buckets are there.
 * @throws ConsoleError validation-failed, not-found, bucket-not-found, endpoint-unreachable, endpoint-refused-credentials,
 * endpoint-forbidden-address
 */
export async function createJob(context: ConsoleContext, input: JobInput, actor: string): Promise<JobView> {
  const source = await endpointOf(context, input, 'source');
  const target = await endpointOf(context, input, 'target');
  refuseSelfCopy(input, source, target);
  await requireBuckets(context, input, source, target);
  const job: StoredJob = {
    jobId: context.random.id('job'),
    name: input.name,
    source: { ...input.source, endpointName: source.name },
    target: { ...input.target, endpointName: target.name },
    mode: input.mode,
    options: input.options,
    needsVersion: versionFor(jobNeeds(input.options, source.endpointId === target.endpointId)),
    state: 'queued',
    error: null,
    createdBy: actor,
    createdAtMs: context.clock.nowMs(),
    startedAtMs: null,
    finishedAtMs: null,
  };
  const everything = { type: 'range', startAfter: null, endAt: null } as const;
  const whole = { splitInto: context.limits.initialSplit, weight: 1 };
  const shard = newShard(context.random.id('shd'), job.jobId, 0, everything, whole);
  await context.storage.transaction(async (stores) => {
    for (const side of ['source', 'target'] as const) {
      // Removed while the buckets were being checked.
      if (!(await stores.endpoints.get(input[side].endpointId))) throw noSuchEndpoint(side, input[side].endpointId);
    }
    await stores.jobs.insert(job);
    await stores.shards.insert([shard]);
    await audit(context, stores, { actor, action: 'job.create', subject: job.jobId, detail: { name: job.name } });
  });
  context.count('job-created');
  context.desk.workAppeared();
  return jobViewOf(context, job);
}

async function endpointOf(context: ConsoleContext, input: JobInput, side: Side): Promise<StoredEndpoint> {
  const { endpointId } = input[side];
  const endpoint = await context.storage.endpoints.get(endpointId);
  if (endpoint === undefined) throw noSuchEndpoint(side, endpointId);
  return endpoint;
}

function noSuchEndpoint(side: Side, endpointId: string): ConsoleError {
  return new ConsoleError('not-found', `There is no endpoint ${endpointId}: choose one of the saved endpoints.`, {
    fields: [{ field: `${side}.endpointId`, value: endpointId, problem: 'is not a saved endpoint' }],
  });
}

/** A target inside the source would be listed while it is written, for ever; the same place would be copied onto itself. */
function refuseSelfCopy(input: JobInput, source: StoredEndpoint, target: StoredEndpoint): void {
  const sameServer = source.endpointId === target.endpointId || new URL(source.url).host === new URL(target.url).host;
  if (!sameServer || input.source.bucket !== input.target.bucket) return;
  if (!input.target.prefix.startsWith(input.source.prefix)) return;
  throw new ConsoleError('validation-failed', 'The target lies inside the source: the job would copy its own copies.', {
    fields: [
      {
        field: 'target.prefix',
        value: input.target.prefix.slice(0, 64),
        problem:
          'must be outside the source: choose another bucket, or a prefix that does not begin with the source prefix',
      },
    ],
  });
}

async function requireBuckets(
  context: ConsoleContext,
  input: JobInput,
  source: StoredEndpoint,
  target: StoredEndpoint,
): Promise<void> {
  const sides = [
    { side: 'source', endpoint: source },
    { side: 'target', endpoint: target },
  ] as const;
  const problems = await Promise.all(sides.map(({ side, endpoint }) => missingBucket(context, input, side, endpoint)));
  const missing = problems.filter((problem) => problem !== null);
  if (missing.length === 0) return;
  const places = missing.map((problem) => `${problem.field} ${problem.value}`).join(' and ');
  throw new ConsoleError('bucket-not-found', `A bucket of this job does not exist: ${places}.`, { fields: missing });
}

async function missingBucket(
  context: ConsoleContext,
  input: JobInput,
  side: Side,
  endpoint: StoredEndpoint,
): Promise<FieldProblem | null> {
  const field = `${side}.endpointId`;
  await requireAllowedAddress(context, endpoint.url, field);
  const { url, region, pathStyle, accessKeyId } = endpoint;
  const secretAccessKey = context.secretBox.open(endpoint.sealedSecret, secretOf(endpoint.endpointId));
  const probed = { url, region, pathStyle, accessKeyId, secretAccessKey };
  const { bucket } = input[side];
  const answer = await probeWithin(context, (signal) => context.probe.checkBucket(probed, bucket, signal));
  if (answer.ok) return null;
  if (answer.reason === 'no-such-bucket') {
    return {
      field: `${side}.bucket`,
      value: bucket,
      problem: `does not exist at ${endpoint.name}: make it there, or choose another`,
    };
  }
  const refused =
    answer.reason === 'access-denied' ? { field: `${side}.bucket`, value: bucket } : { field, value: endpoint.name };
  throw endpointRefused(answer, probed, { unreachable: { field, value: endpoint.name }, refused });
}
