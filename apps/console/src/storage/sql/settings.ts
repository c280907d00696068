import type { Kysely } from 'kysely';
import type { SettingsStore } from '../../ports/settings-store.ts';
import type { Tables } from './schema.ts';
import { fromJson } from './stored-json.ts';

/** Settings in SQL. */
export function sqlSettingsStore(db: Kysely<Tables>): SettingsStore {
  return {
    async governor() {
      const row = await db.selectFrom('governor_settings').selectAll().executeTakeFirst();
      if (row === undefined) return undefined;
      const { version, changed_by, changed_at_ms, settings } = row;
      return { version, changedBy: changed_by, changedAtMs: changed_at_ms, settings: fromJson(settings) };
    },
    async saveGovernor({ version, changedBy, changedAtMs, settings }) {
      const row = { version, changed_by: changedBy, changed_at_ms: changedAtMs, settings: JSON.stringify(settings) };
      await db
        .insertInto('governor_settings')
        .values({ id: 1, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    },
    async state(name) {
      const row = await db.selectFrom('states').select('json').where('name', '=', name).executeTakeFirst();
      return row?.json;
    },
    async saveState(name, json) {
      await db
        .insertInto('states')
        .values({ name, json })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ json }))
        .execute();
    },
  };
}
