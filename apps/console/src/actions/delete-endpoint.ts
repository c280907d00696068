import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Removes an endpoint that no unfinished job uses. Finished jobs keep its name.
 * @throws ConsoleError not-found, in-use
 */
export async function deleteEndpoint(context: ConsoleContext, endpointId: string, actor: string): Promise<void> {
  await context.storage.transaction(async (stores) => {
    const endpoint = await stores.endpoints.get(endpointId);
    if (endpoint === undefined) throw new ConsoleError('not-found', `There is no endpoint ${endpointId}.`);
    const users = await stores.jobs.countUnfinishedUsing(endpointId);
    if (users > 0) {
      throw new ConsoleError(
        'in-use',
        `${users} unfinished jobs use the endpoint ${endpoint.name}: let them end or cancel them first.`,
      );
    }
    await stores.endpoints.delete(endpointId);
    const detail = { name: endpoint.name };
    await audit(context, stores, { actor, action: 'endpoint.delete', subject: endpointId, detail });
  });
}
