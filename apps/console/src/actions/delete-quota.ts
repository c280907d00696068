import { isOwnQuota } from '../quotas/built-in.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { noQuota } from './save-quota.ts';

/**
 * Removes the definition of a quota. Its counters carry deadlines and end by themselves.
 * @throws ConsoleError not-found, wrong-state
 */
export async function deleteQuota(context: ConsoleContext, definitionId: string, actor: string): Promise<void> {
  if (isOwnQuota(definitionId)) {
    throw new ConsoleError('wrong-state', 'This quota protects the console itself: it cannot be removed.');
  }
  await context.storage.transaction(async (stores) => {
    const known = (await stores.quotas.quotas()).find((each) => each.definitionId === definitionId);
    if (known === undefined) throw noQuota(definitionId);
    await stores.quotas.deleteQuota(definitionId);
    const detail = { quota: known.input.quota };
    await audit(context, stores, { actor, action: 'quota.delete', subject: definitionId, detail });
  });
  context.quotas.remove(definitionId);
}
