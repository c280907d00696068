import { sql, type Kysely, type Selectable } from 'kysely';
import type { QuotaCatalog, QuotaMinute, StoredQuotaStore } from '../../ports/quota-catalog.ts';
import type { Tables } from './schema.ts';
import { fromJson } from './stored-json.ts';

/** Stores, quotas, their minutes and audits in SQL. */
export function sqlQuotaCatalog(db: Kysely<Tables>): QuotaCatalog {
  return { ...stores(db), ...definitions(db), ...minutes(db), ...audits(db) };
}

function stores(db: Kysely<Tables>): Pick<QuotaCatalog, 'stores' | 'insertStore' | 'deleteStore'> {
  return {
    async stores() {
      return (await db.selectFrom('quota_stores').selectAll().orderBy('name').execute()).map(storeOf);
    },
    async insertStore(store) {
      await db
        .insertInto('quota_stores')
        .values({
          store_id: store.storeId,
          name: store.name,
          kind: store.kind,
          address: store.address,
          username: store.username,
          sealed_password: store.sealedPassword,
          created_at_ms: store.createdAtMs,
          created_by: store.createdBy,
        })
        .execute();
    },
    async deleteStore(storeId) {
      await db.deleteFrom('quota_stores').where('store_id', '=', storeId).execute();
    },
  };
}

function storeOf(row: Selectable<Tables['quota_stores']>): StoredQuotaStore {
  return {
    storeId: row.store_id,
    name: row.name,
    kind: row.kind === 'redis' || row.kind === 'memcached' ? row.kind : 'memory',
    address: row.address,
    username: row.username,
    sealedPassword: row.sealed_password,
    createdAtMs: row.created_at_ms,
    createdBy: row.created_by,
  };
}

function definitions(db: Kysely<Tables>): Pick<QuotaCatalog, 'quotas' | 'saveQuota' | 'deleteQuota'> {
  return {
    async quotas() {
      const rows = await db.selectFrom('quotas').selectAll().orderBy('quota').orderBy('definition_id').execute();
      return rows.map((row) => ({
        definitionId: row.definition_id,
        version: row.version,
        input: fromJson(row.definition),
        changedAtMs: row.changed_at_ms,
        changedBy: row.changed_by,
      }));
    },
    async saveQuota({ definitionId, version, input, changedAtMs, changedBy }) {
      const row = {
        store_id: input.storeId,
        quota: input.quota,
        definition: JSON.stringify(input),
        version,
        changed_at_ms: changedAtMs,
        changed_by: changedBy,
      };
      await db
        .insertInto('quotas')
        .values({ definition_id: definitionId, ...row })
        .onConflict((conflict) => conflict.column('definition_id').doUpdateSet(row))
        .execute();
    },
    async deleteQuota(definitionId) {
      await db.deleteFrom('quota_minutes').where('definition_id', '=', definitionId).execute();
      await db.deleteFrom('quotas').where('definition_id', '=', definitionId).execute();
    },
  };
}

function minutes(db: Kysely<Tables>): Pick<QuotaCatalog, 'addMinutes' | 'minutesSince' | 'pruneMinutes'> {
  return {
    async addMinutes(rows) {
      if (rows.length === 0) return;
      await db
        .insertInto('quota_minutes')
        .values(
          rows.map(({ definitionId, atMs, admitted, refused, subjectsAtLimit }) => ({
            definition_id: definitionId,
            at_ms: atMs,
            admitted,
            refused,
            subjects_at_limit: subjectsAtLimit,
          })),
        )
        // A clock that was set back meets its minutes again.
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async minutesSince(definitionId, atMs) {
      const rows = await db
        .selectFrom('quota_minutes')
        .selectAll()
        .where('definition_id', '=', definitionId)
        .where('at_ms', '>=', atMs)
        .orderBy('at_ms')
        .execute();
      return rows.map((row): QuotaMinute => ({
        definitionId: row.definition_id,
        atMs: row.at_ms,
        admitted: row.admitted,
        refused: row.refused,
        subjectsAtLimit: row.subjects_at_limit,
      }));
    },
    async pruneMinutes(beforeMs, batch) {
      const result = await sql`delete from quota_minutes where (definition_id, at_ms) in
        (select definition_id, at_ms from quota_minutes where at_ms < ${beforeMs} limit ${batch})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}

function audits(db: Kysely<Tables>): Pick<QuotaCatalog, 'saveAudit' | 'audits' | 'deleteAudit'> {
  return {
    async saveAudit(audit) {
      const row = { started_at_ms: audit.startedAtMs, run: JSON.stringify(audit) };
      await db
        .insertInto('quota_audits')
        .values({ audit_id: audit.auditId, ...row })
        .onConflict((conflict) => conflict.column('audit_id').doUpdateSet(row))
        .execute();
    },
    async audits() {
      const rows = await db.selectFrom('quota_audits').select('run').orderBy('started_at_ms', 'desc').execute();
      return rows.map(({ run }) => fromJson(run));
    },
    async deleteAudit(auditId) {
      await db.deleteFrom('quota_audits').where('audit_id', '=', auditId).execute();
    },
  };
}
