import type { TakeResult } from '@weir/protocol';
import { QuotaError, type Quota } from '@weir/quota';
import { isOwnQuota } from '../quotas/built-in.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { noQuota } from './save-quota.ts';

/**
 * Takes from a quota. "No" is an answer, not an error.
 * @throws ConsoleError not-found, wrong-state, validation-failed
 */
export async function takeQuota(
  context: ConsoleContext,
  definitionId: string,
  subject: string,
  cost: number,
): Promise<TakeResult> {
  const decision = await explained('subject', () => quotaOf(context, definitionId).take(subject, cost));
  context.quotas.note(definitionId, decision);
  const { allowed, used, remaining, limit, resetAt, retryAfterMs, source } = decision;
  return { allowed, used, remaining, limit, resetAtMs: resetAt, retryAfterMs: Math.ceil(retryAfterMs), source };
}

/**
 * Lets a subject begin anew in its present period.
 * @throws ConsoleError not-found, wrong-state, validation-failed, store-unreachable
 */
export async function resetSubject(
  context: ConsoleContext,
  definitionId: string,
  subject: string,
  actor: string,
): Promise<void> {
  const quota = quotaOf(context, definitionId);
  await explained('subject', () => quota.reset(subject));
  context.quotas.book(definitionId)?.forget(subject);
  context.quotas.touch(definitionId);
  const detail = { quota: quota.id, subject: subject.slice(0, 100) };
  await audit(context, context.storage, { actor, action: 'quota.reset', subject: definitionId, detail });
}

function quotaOf(context: ConsoleContext, definitionId: string): Quota {
  if (isOwnQuota(definitionId)) {
    throw new ConsoleError('wrong-state', 'This quota protects the console itself: nothing else takes from it.');
  }
  if (context.quotas.book(definitionId) === undefined) throw noQuota(definitionId);
  const quota = context.quotas.quota(definitionId);
  if (quota !== undefined) return quota;
  throw new ConsoleError('wrong-state', 'The store of this quota has not been reached yet, or refuses its definition.');
}

async function explained<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof QuotaError)) throw error;
    if (error.code === 'invalid-subject' || error.code === 'invalid-cost') {
      const fields = [{ field: error.code === 'invalid-cost' ? 'cost' : field, problem: error.message }];
      throw new ConsoleError('validation-failed', error.message, { fields, cause: error });
    }
    throw new ConsoleError('store-unreachable', error.message, { cause: error });
  }
}
