import { MAX_QUOTA_STORES, type QuotaStoreInput, type QuotaStoreView } from '@weir/protocol';
import type { StoredQuotaStore } from '../ports/quota-catalog.ts';
import { MEMORY_STORE } from '../quotas/built-in.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { inputTarget, quotaStorePasswordOf } from './quota-store-target.ts';
import { testQuotaStore } from './test-quota-store.ts';

/**
 * Tests a store and saves it, its password encrypted. Nothing is saved unless the test succeeds.
 * @throws ConsoleError name-taken, wrong-state, and what testQuotaStore throws
 */
export async function createQuotaStore(
  context: ConsoleContext,
  input: QuotaStoreInput,
  actor: string,
): Promise<QuotaStoreView> {
  await testQuotaStore(context, input);
  const { kind, address, username, password } = inputTarget(input);
  const storeId = context.random.id('qst');
  const sealedPassword = password === null ? null : context.secretBox.seal(password, quotaStorePasswordOf(storeId));
  const store: StoredQuotaStore = {
    storeId,
    name: input.name,
    kind,
    address,
    username,
    sealedPassword,
    createdAtMs: context.clock.nowMs(),
    createdBy: actor,
  };
  await context.storage.transaction(async (stores) => {
    const all = await stores.quotas.stores();
    if ([MEMORY_STORE, ...all].some(({ name }) => name === input.name)) throw nameTaken(input.name);
    if (all.length >= MAX_QUOTA_STORES) {
      throw new ConsoleError('wrong-state', `A console has at most ${MAX_QUOTA_STORES} stores: remove one first.`);
    }
    await stores.quotas.insertStore(store);
    const detail = { name: input.name, address };
    await audit(context, stores, { actor, action: 'quota-store.create', subject: storeId, detail });
  });
  await context.quotas.addStore(store);
  const view = context.quotas.storeViews().find((each) => each.storeId === storeId);
  if (view === undefined) throw new ConsoleError('not-found', 'Somebody removed the store at this moment.');
  return view;
}

function nameTaken(name: string): ConsoleError {
  return new ConsoleError('name-taken', `There is a store named ${name} already: choose another name.`, {
    fields: [{ field: 'name', value: name, problem: 'is the name of another store' }],
  });
}
