import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { requireAllowedAddress } from './endpoint-addresses.ts';
import { secretOf } from './endpoint-secret.ts';
import { endpointRefused, probeWithin } from './probe-endpoint.ts';

/** Buckets that are answered at most: they are suggestions. */
const MAX_BUCKETS = 1_000;

/**
 * Buckets of a stored endpoint, by name; null: its key may not list them.
 * @throws ConsoleError not-found, endpoint-forbidden-address, endpoint-unreachable, endpoint-refused-credentials
 */
export async function listBuckets(context: ConsoleContext, endpointId: string): Promise<string[] | null> {
  const endpoint = await context.storage.endpoints.get(endpointId);
  if (endpoint === undefined) throw new ConsoleError('not-found', `There is no endpoint ${endpointId}.`);
  const { url, region, pathStyle, accessKeyId, sealedSecret } = endpoint;
  await requireAllowedAddress(context, url, 'endpointId');
  const secretAccessKey = context.secretBox.open(sealedSecret, secretOf(endpointId));
  const target = { url, region, pathStyle, accessKeyId, secretAccessKey };
  const answer = await probeWithin(context, (signal) => context.probe.listBuckets(target, signal));
  if (answer.ok) return answer.buckets?.toSorted().slice(0, MAX_BUCKETS) ?? null;
  const field = { field: 'endpointId', value: endpoint.name };
  throw endpointRefused(answer, target, { unreachable: field, refused: field });
}
