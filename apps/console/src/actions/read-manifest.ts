import type { SignedManifest } from '@weir/protocol';
import { manifestOf } from '../queue/job-manifest.ts';
import { isEnded } from '../queue/job-state.ts';
import { sha256Hex } from '../security/manifest.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { listFailures } from './list-failures.ts';

/**
 * The signed manifest of an ended job. Signed anew each time: the same job gives the same document.
 * @throws ConsoleError not-found, wrong-state
 */
export async function readManifest(context: ConsoleContext, jobId: string): Promise<SignedManifest> {
  const job = await context.storage.jobs.get(jobId);
  if (job === undefined) throw new ConsoleError('not-found', `There is no job ${jobId}.`);
  if (!isEnded(job.state)) {
    throw new ConsoleError(
      'wrong-state',
      `The job ${job.name} is ${job.state}: its manifest is made when it has ended.`,
    );
  }
  if (!job.options.manifest) {
    throw new ConsoleError('wrong-state', `The job ${job.name} was made without a manifest.`);
  }
  const [source, target] = await Promise.all([
    context.storage.endpoints.get(job.source.endpointId),
    context.storage.endpoints.get(job.target.endpointId),
  ]);
  const manifest = manifestOf(job, await context.storage.shards.allOf(jobId), {
    sourceUrl: source?.url ?? null,
    targetUrl: target?.url ?? null,
    failuresListed: (await listFailures(context, jobId, 1)).total,
    sha256: sha256Hex,
  });
  return { manifest, key: context.manifestSigner.key, signature: context.manifestSigner.sign(manifest) };
}
