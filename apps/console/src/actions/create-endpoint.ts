import type { EndpointInput, EndpointView } from '@weir/protocol';
import type { StoredEndpoint } from '../ports/endpoint-store.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { secretOf } from './endpoint-secret.ts';
import { endpointView } from './list-endpoints.ts';
import { testEndpoint } from './test-endpoint.ts';

/**
 * Tests an endpoint and saves it, its secret encrypted. Nothing is saved unless the test succeeds.
 * @throws ConsoleError name-taken, and what testEndpoint throws
 */
export async function createEndpoint(
  context: ConsoleContext,
  input: EndpointInput,
  actor: string,
): Promise<EndpointView> {
  if (await context.storage.endpoints.findByName(input.name)) throw nameTaken(input.name);
  await testEndpoint(context, input);
  const endpointId = context.random.id('end');
  const endpoint: StoredEndpoint = {
    endpointId,
    name: input.name,
    url: input.url,
    region: input.region,
    pathStyle: input.pathStyle,
    accessKeyId: input.accessKeyId,
    sealedSecret: context.secretBox.seal(input.secretAccessKey, secretOf(endpointId)),
    createdAtMs: context.clock.nowMs(),
  };
  await context.storage.transaction(async (stores) => {
    // Asked again: somebody may have taken the name during the test.
    if (await stores.endpoints.findByName(input.name)) throw nameTaken(input.name);
    await stores.endpoints.insert(endpoint);
    const detail = { name: input.name, url: input.url };
    await audit(context, stores, { actor, action: 'endpoint.create', subject: endpointId, detail });
  });
  return endpointView(endpoint);
}

function nameTaken(name: string): ConsoleError {
  return new ConsoleError('name-taken', `There is an endpoint named ${name} already: choose another name.`, {
    fields: [{ field: 'name', value: name, problem: 'is the name of another endpoint' }],
  });
}
