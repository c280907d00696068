import type { EndpointInput, EndpointTestResult } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';
import { requireAllowedAddress, requirePlainAddress } from './endpoint-addresses.ts';
import { endpointRefused, probeWithin } from './probe-endpoint.ts';

/**
 * Reaches an endpoint with its credentials; nothing is saved.
 * @throws ConsoleError validation-failed, endpoint-forbidden-address, endpoint-unreachable, endpoint-refused-credentials
 */
export async function testEndpoint(context: ConsoleContext, input: EndpointInput): Promise<EndpointTestResult> {
  requirePlainAddress(input.url);
  await requireAllowedAddress(context, input.url, 'url');
  const startMs = context.clock.steadyMs();
  const target = {
    url: input.url,
    region: input.region,
    pathStyle: input.pathStyle,
    accessKeyId: input.accessKeyId,
    secretAccessKey: input.secretAccessKey,
  };
  const answer = await probeWithin(context, (signal) => context.probe.listBuckets(target, signal));
  if (answer.ok) return { latencyMs: context.clock.steadyMs() - startMs, buckets: answer.buckets };
  throw endpointRefused(answer, target, {
    unreachable: { field: 'url', value: input.url.slice(0, 64) },
    refused: { field: 'accessKeyId', value: input.accessKeyId.slice(0, 64) },
  });
}
