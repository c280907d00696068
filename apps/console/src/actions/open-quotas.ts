import { join } from 'node:path';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { NameResolver } from '../ports/name-resolver.ts';
import type { QuotaConnector } from '../ports/quota-connector.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { Storage } from '../ports/storage.ts';
import { AuditDesk } from '../quotas/audit-desk.ts';
import { QuotaDesk } from '../quotas/quota-desk.ts';
import { requireAllowedStore, targetOf } from './quota-store-target.ts';

/** What quotas and their audits need. */
export interface QuotaParts {
  clock: Clock;
  log: Logger;
  storage: Storage;
  secretBox: SecretBox;
  resolver: NameResolver;
  connector: QuotaConnector;
  /** Journals of audits go into a folder of it. */
  dataDir: string;
}

/** Brings back stores, quotas and audits as they were kept; nothing is connected yet. */
export async function openQuotas(parts: QuotaParts): Promise<{ quotas: QuotaDesk; quotaAudits: AuditDesk }> {
  const { clock, log, storage, connector, dataDir } = parts;
  const catalog = storage.quotas;
  const quotas = new QuotaDesk(
    {
      clock,
      async open(stored) {
        // Asked at each connection: names can be pointed elsewhere.
        if (stored.kind !== 'memory') await requireAllowedStore(parts, stored.address);
        return connector.connect(targetOf(parts, stored));
      },
    },
    await catalog.stores(),
    await catalog.quotas(),
  );
  const quotaAudits = new AuditDesk(
    {
      clock,
      log,
      folder: join(dataDir, 'audits'),
      async open(storeId) {
        const stored = (await catalog.stores()).find((store) => store.storeId === storeId);
        if (stored === undefined) throw new Error('the store was removed');
        await requireAllowedStore(parts, stored.address);
        const connection = await connector.connect(targetOf(parts, stored));
        if (connection.audited === null) throw new Error('this store cannot be audited');
        return { store: connection.audited, close: () => connection.close() };
      },
      save: (audit) => catalog.saveAudit(audit),
      forget: (auditId) => catalog.deleteAudit(auditId),
    },
    await catalog.audits(),
  );
  return { quotas, quotaAudits };
}
