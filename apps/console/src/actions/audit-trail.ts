import type { AuditEntry } from '../ports/audit-store.ts';
import type { Stores } from '../ports/storage.ts';
import type { ConsoleContext } from './context.ts';

/** Writes down who did what, in the stores given (so that it is part of the same transaction), and logs it. */
export async function audit(
  context: Pick<ConsoleContext, 'clock' | 'log'>,
  stores: Pick<Stores, 'audit'>,
  entry: Omit<AuditEntry, 'atMs'>,
): Promise<void> {
  await stores.audit.add({ ...entry, atMs: context.clock.nowMs() });
  context.log.info({ audit: entry.action, actor: entry.actor, subject: entry.subject, ...entry.detail }, 'audit');
}
