import { TAKEOVERS_FOR_MS, takeover, type Takeover } from '@weir/protocol';
import type { AuditEntry } from '../ports/audit-store.ts';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';

/** What the audit trail calls it. */
const ACTION = 'console.lead';
/** Takeovers that are read back at most; a group that changes its leader more often than every 90 s for a day has other worries. */
const MOST_READ = 1_000;

/**
 * Writes down that this console leads its group from now on, and brings back who did in the last day.
 * @throws StorageUnavailable; LeadershipLost when another one leads already
 */
export async function recordTakeover(
  context: Pick<ConsoleContext, 'clock' | 'log' | 'storage' | 'leads'>,
  { url, host, version, fence }: Omit<Takeover, 'atMs'>,
): Promise<void> {
  const { storage, leads, clock } = context;
  await audit(context, storage, {
    actor: 'console',
    action: ACTION,
    subject: url,
    detail: { term: fence, host, version },
  });
  const fromMs = Math.max(0, clock.nowMs() - TAKEOVERS_FOR_MS);
  const entries = await storage.audit.list({ action: ACTION, fromMs, limit: MOST_READ });
  leads.replace(entries.flatMap((entry) => takeoverOf(entry) ?? []));
}

function takeoverOf({ atMs, subject, detail }: AuditEntry): Takeover | undefined {
  const { term, host, version } = detail;
  return takeover.safeParse({ atMs, url: subject, fence: term, host, version }).data;
}
