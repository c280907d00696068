import { MAX_QUOTA_DEFINITIONS, quotaChanges, type FieldChange, type QuotaInput, type QuotaView } from '@weir/protocol';
import { checkDefinition, MemoryStore, QuotaError } from '@weir/quota';
import type { StoredQuota } from '../ports/quota-catalog.ts';
import type { Stores } from '../ports/storage.ts';
import { isOwnQuota, MEMORY_STORE, OWN_QUOTA_IDS } from '../quotas/built-in.ts';
import { definitionOf } from '../quotas/quota-desk.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { requireMadeFrom } from './made-from.ts';

/**
 * Defines a quota on a store, or defines it anew. It is in force at once. One that is saved as it is already is not changed.
 * @param definitionId null: a new one
 * @param ifMatch what the change was made from; absent: it replaces whatever is there
 * @throws ConsoleError validation-failed, not-found, name-taken, wrong-state, changed-meanwhile
 */
export async function saveQuota(
  context: ConsoleContext,
  definitionId: string | null,
  input: QuotaInput,
  actor: string,
  ifMatch?: string,
): Promise<QuotaView> {
  requireSound(input);
  if (definitionId !== null && isOwnQuota(definitionId)) {
    throw new ConsoleError('wrong-state', 'This quota protects the console itself: it cannot be changed.');
  }
  if (context.quotas.storeName(input.storeId) === undefined) throw noStore(input.storeId);
  const stored = await context.storage.transaction(async (stores) => {
    // Asked again: somebody may have removed it since.
    const kept = [MEMORY_STORE, ...(await stores.quotas.stores())];
    if (!kept.some(({ storeId }) => storeId === input.storeId)) throw noStore(input.storeId);
    const all = await stores.quotas.quotas();
    if (definitionId === null) return defineQuota(context, stores, all, { input, actor });
    const before = all.find((each) => each.definitionId === definitionId);
    if (before === undefined) throw noQuota(definitionId);
    const changes = quotaChanges(before.input, input);
    // Before they are compared: who repeats a save whose answer was lost, or wants what somebody else did, loses nothing.
    if (changes.length === 0) return before;
    requireMadeFrom(ifMatch, before, 'this quota');
    return changeQuota(context, stores, all, { before, input, actor, changes });
  });
  context.quotas.save(stored);
  const view = context.quotas.quotaViews().find((each) => each.definitionId === stored.definitionId);
  if (view === undefined) throw noQuota(stored.definitionId);
  return view;
}

async function defineQuota(
  context: ConsoleContext,
  stores: Stores,
  all: readonly StoredQuota[],
  { input, actor }: { input: QuotaInput; actor: string },
): Promise<StoredQuota> {
  if (all.length >= MAX_QUOTA_DEFINITIONS) {
    throw new ConsoleError('wrong-state', `A console has at most ${MAX_QUOTA_DEFINITIONS} quotas: delete one first.`);
  }
  requireFreeName(all, input);
  const definitionId = context.random.id('qta');
  const stored = { definitionId, version: 1, input, changedAtMs: context.clock.nowMs(), changedBy: actor };
  await stores.quotas.saveQuota(stored);
  const { quota, limit, period, zone, shadow } = input;
  const detail = { quota, limit, period: `${period.count} ${period.unit}`, zone, shadow };
  await audit(context, stores, { actor, action: 'quota.create', subject: definitionId, detail });
  return stored;
}

async function changeQuota(
  context: ConsoleContext,
  stores: Stores,
  all: readonly StoredQuota[],
  { before, input, actor, changes }: { before: StoredQuota; input: QuotaInput; actor: string; changes: FieldChange[] },
): Promise<StoredQuota> {
  requireFreeName(
    all.filter((each) => each !== before),
    input,
  );
  const { definitionId, version } = before;
  const stored = { definitionId, version: version + 1, input, changedAtMs: context.clock.nowMs(), changedBy: actor };
  await stores.quotas.saveQuota(stored);
  const detail = { quota: input.quota };
  await audit(context, stores, { actor, action: 'quota.change', subject: definitionId, detail, changes });
  return stored;
}

function requireFreeName(others: readonly StoredQuota[], { storeId, quota }: QuotaInput): void {
  const taken = others.some((each) => each.input.storeId === storeId && each.input.quota === quota);
  if (taken || OWN_QUOTA_IDS.some((own) => own === quota)) throw nameTaken(quota);
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
