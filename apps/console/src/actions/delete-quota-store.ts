import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Removes a store that no quota is defined on. What stands in it stays there.
 * @throws ConsoleError not-found, in-use
 */
export async function deleteQuotaStore(context: ConsoleContext, storeId: string, actor: string): Promise<void> {
  await context.storage.transaction(async (stores) => {
    const store = (await stores.quotas.stores()).find((each) => each.storeId === storeId);
    if (store === undefined) throw new ConsoleError('not-found', `There is no store ${storeId} that could be removed.`);
    const users = (await stores.quotas.quotas()).filter(({ input }) => input.storeId === storeId).length;
    if (users > 0 || context.quotaAudits.isBusy(storeId)) {
      const what = users > 0 ? `${users} quotas are defined on` : 'An audit runs on';
      throw new ConsoleError('in-use', `${what} the store ${store.name}.`);
    }
    await stores.quotas.deleteStore(storeId);
    const detail = { name: store.name };
    await audit(context, stores, { actor, action: 'quota-store.delete', subject: storeId, detail });
  });
  await context.quotas.removeStore(storeId);
}
