import type { AuditEntry } from '../ports/audit-store.ts';
import type { Stores } from '../ports/storage.ts';
import type { ConsoleContext } from './context.ts';
import { requestAddress } from './request-origin.ts';

/**
 * Writes down who did what, when and from where, in the stores given (so that it is part of the same transaction), and logs it.
 */
export async function audit(
  context: Pick<ConsoleContext, 'clock' | 'log'>,
  stores: Pick<Stores, 'audit'>,
  entry: Omit<AuditEntry, 'atMs' | 'address'>,
): Promise<void> {
  const address = requestAddress();
  await stores.audit.add({ ...entry, address, atMs: context.clock.nowMs() });
  const fields = { audit: entry.action, actor: entry.actor, subject: entry.subject, address, ...entry.detail };
  context.log.info(fields, 'audit');
}
