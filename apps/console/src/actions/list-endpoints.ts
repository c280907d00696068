import type { EndpointView } from '@weir/protocol';
import type { StoredEndpoint } from '../ports/endpoint-store.ts';
import type { ConsoleContext } from './context.ts';

/** All endpoints, by name, without their secrets. */
export async function listEndpoints(context: ConsoleContext): Promise<EndpointView[]> {
  return (await context.storage.endpoints.all()).map(endpointView);
}

/** An endpoint as pages see it. */
export function endpointView(endpoint: StoredEndpoint): EndpointView {
  const { endpointId, name, url, region, pathStyle, accessKeyId, createdAtMs } = endpoint;
  return { endpointId, name, url, region, pathStyle, accessKeyId, createdAtMs };
}
