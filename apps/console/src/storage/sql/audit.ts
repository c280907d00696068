import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';
import type { AuditFilter, AuditStore } from '../../ports/audit-store.ts';
import type { Tables } from './schema.ts';
import { fromJson } from './stored-json.ts';

/** The audit trail in SQL. */
export function sqlAuditStore(db: Kysely<Tables>): AuditStore {
  return {
    async add({ atMs, actor, action, subject, address, detail, changes }) {
      const texts = { detail: JSON.stringify(detail), changes: changes.length === 0 ? null : JSON.stringify(changes) };
      const row = { at_ms: atMs, actor, action, subject, address, ...texts };
      await db.insertInto('audit').values(row).execute();
    },
    async list(filter) {
      const rows = await matching(db, filter).selectAll().orderBy('entry', 'desc').limit(filter.limit).execute();
      return rows.map(({ entry, at_ms, actor, action, subject, address, detail, changes }) => ({
        entry,
        atMs: at_ms,
        actor,
        action,
        subject,
        address,
        detail: fromJson(detail),
        changes: changes === null ? [] : fromJson(changes),
      }));
    },
    async prune(keep, sinceMs, batch) {
      // Entries are numbered in the order of time: the walk from the oldest one ends at the first that may stay.
      const result = await sql`delete from audit where entry in
        (select entry from audit where entry <= (select max(entry) from audit) - ${keep}
          or entry < coalesce((select entry from audit where at_ms >= ${Math.ceil(sinceMs)} order by entry limit 1),
            (select max(entry) + 1 from audit))
          order by entry limit ${batch})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}

function matching(db: Kysely<Tables>, filter: AuditFilter): SelectQueryBuilder<Tables, 'audit', object> {
  let query: SelectQueryBuilder<Tables, 'audit', object> = db.selectFrom('audit');
  if (filter.before !== undefined) query = query.where('entry', '<', filter.before);
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor);
  if (filter.fromMs !== undefined) query = query.where('at_ms', '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where('at_ms', '<=', filter.toMs);
  if (filter.action !== undefined) {
    const { action } = filter;
    query = query.where((expression) =>
      expression.or([expression('action', '=', action), beginsWith('action', `${action}.`)]),
    );
  }
  if (filter.text !== undefined && filter.text !== '') {
    const text = filter.text.toLowerCase();
    const columns = ['actor', 'action', 'subject', 'address', 'detail', 'changes'] as const;
    query = query.where((expression) => expression.or(columns.map((column) => contains(column, text))));
  }
  return query;
}

/** Whether a column holds the text anywhere; not by LIKE, where `%` and `_` would mean something. */
function contains(column: string, text: string): ReturnType<typeof sql<boolean>> {
  const lower = sql`lower(coalesce(${sql.ref(column)}, ''))`;
  return sql<boolean>`replace(${lower}, ${text}, '') <> ${lower}`;
}

function beginsWith(column: string, text: string): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(Array.from(text).length)}) = ${text}`;
}
