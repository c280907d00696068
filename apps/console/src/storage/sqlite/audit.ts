import { sql, type Kysely } from 'kysely';
import type { AuditStore } from '../../ports/audit-store.ts';
import type { Tables } from './schema.ts';
import { fromJson } from './stored-json.ts';

/** The audit trail in SQLite. */
export function sqliteAuditStore(db: Kysely<Tables>): AuditStore {
  return {
    async add({ atMs, actor, action, subject, detail }) {
      const row = { at_ms: atMs, actor, action, subject, detail: JSON.stringify(detail) };
      await db.insertInto('audit').values(row).execute();
    },
    async list(limit) {
      const rows = await db.selectFrom('audit').selectAll().orderBy('entry', 'desc').limit(limit).execute();
      return rows.map(({ at_ms, actor, action, subject, detail }) => ({
        atMs: at_ms,
        actor,
        action,
        subject,
        detail: fromJson(detail),
      }));
    },
    async prune(keep, batch) {
      const result = await sql`delete from audit where entry in
        (select entry from audit where entry <= (select max(entry) from audit) - ${keep} order by entry limit ${batch})`.execute(
        db,
      );
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}
