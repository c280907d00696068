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
  entry: Omit<AuditEntry, 'atMs' | 'address' | 'changes'> & Partial<Pick<AuditEntry, 'changes'>>,
): Promise<void> {
  const address = requestAddress();
  const { actor, action, subject, detail, changes = [] } = entry;
  await stores.audit.add({ actor, action, subject, detail, changes, address, atMs: context.clock.nowMs() });
  const changed = changes.length === 0 ? {} : { changes };
  context.log.info({ audit: action, actor, subject, address, ...detail, ...changed }, 'audit');
}
