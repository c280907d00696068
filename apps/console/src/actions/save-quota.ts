import { MAX_QUOTA_DEFINITIONS, type QuotaInput, type QuotaView } from '@weir/protocol';
import { checkDefinition, MemoryStore, QuotaError } from '@weir/quota';
import { isOwnQuota, MEMORY_STORE, OWN_QUOTA_IDS } from '../quotas/built-in.ts';
import { definitionOf } from '../quotas/quota-desk.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Defines a quota on a store, or defines it anew. It is in force at once.
 * @param definitionId null: a new one
 * @throws ConsoleError validation-failed, not-found, name-taken, wrong-state
 */
export async function saveQuota(
  context: ConsoleContext,
  definitionId: string | null,
  input: QuotaInput,
  actor: string,
): Promise<QuotaView> {
  requireSound(input);
  if (definitionId !== null && isOwnQuota(definitionId)) {
    throw new ConsoleError('wrong-state', 'This quota protects the console itself: it cannot be changed.');
  }
  if (context.quotas.storeName(input.storeId) === undefined) throw noStore(input.storeId);
  const stored = {
    definitionId: definitionId ?? context.random.id('qta'),
    input,
    changedAtMs: context.clock.nowMs(),
    changedBy: actor,
  };
  await context.storage.transaction(async (stores) => {
    // Asked again: somebody may have removed it since.
    const kept = [MEMORY_STORE, ...(await stores.quotas.stores())];
    if (!kept.some(({ storeId }) => storeId === input.storeId)) throw noStore(input.storeId);
    const all = await stores.quotas.quotas();
    const before = all.find((each) => each.definitionId === definitionId);
    if (definitionId !== null && before === undefined) throw noQuota(definitionId);
    if (definitionId === null && all.length >= MAX_QUOTA_DEFINITIONS) {
      throw new ConsoleError('wrong-state', `A console has at most ${MAX_QUOTA_DEFINITIONS} quotas: delete one first.`);
    }
    const others = all.filter((each) => each !== before);
    const taken = others.some((each) => each.input.storeId === input.storeId && each.input.quota === input.quota);
    if (taken || OWN_QUOTA_IDS.some((own) => own === input.quota)) throw nameTaken(input.quota);
    await stores.quotas.saveQuota(stored);
    const { quota, limit, period, zone, shadow } = input;
    const detail = { quota, limit, period: `${period.count} ${period.unit}`, zone, shadow };
    const action = before === undefined ? 'quota.create' : 'quota.change';
    await audit(context, stores, { actor, action, subject: stored.definitionId, detail });
  });
  context.quotas.save(stored);
  const view = context.quotas.quotaViews().find((each) => each.definitionId === stored.definitionId);
  if (view === undefined) throw noQuota(stored.definitionId);
  return view;
}

/** What the engine would refuse is refused here, with its words. */
function requireSound(input: QuotaInput): void {
  try {
    checkDefinition(definitionOf(input), new MemoryStore({ maxEntries: 1 }).profile);
  } catch (error) {
    if (!(error instanceof QuotaError)) throw error;
    const fields = error.problems.map((problem) => ({ field: fieldOf(problem), problem }));
    throw new ConsoleError('validation-failed', error.message, { fields, cause: error });
  }
}

function fieldOf(problem: string): string {
  if (/zone/i.test(problem)) return 'zone';
  if (/period|days/i.test(problem)) return 'period.count';
  return '';
}

function noStore(storeId: string): ConsoleError {
  return new ConsoleError('validation-failed', `There is no store ${storeId}.`, {
    fields: [{ field: 'storeId', value: storeId, problem: 'must be one of the stores' }],
  });
}

/** The refusal for a quota that is not there. */
export function noQuota(definitionId: string): ConsoleError {
  return new ConsoleError('not-found', `There is no quota ${definitionId}.`);
}

function nameTaken(name: string): ConsoleError {
  return new ConsoleError('name-taken', `There is a quota ${name} on this store already: choose another name.`, {
    fields: [{ field: 'quota', value: name, problem: 'is the name of another quota on this store' }],
  });
}
