import { sql, type Kysely } from 'kysely';
import type { AlarmStore } from '../../ports/alarm-store.ts';
import type { Tables } from './schema.ts';
import { fromJson } from './stored-json.ts';

/** Alarms in SQL. */
export function sqlAlarmStore(db: Kysely<Tables>): AlarmStore {
  return {
    async save(alarm) {
      const row = { raised_at_ms: alarm.raisedAtMs, ended_at_ms: alarm.endedAtMs, alarm: JSON.stringify(alarm) };
      await db
        .insertInto('alarms')
        .values({ alarm_id: alarm.alarmId, ...row })
        .onConflict((conflict) => conflict.column('alarm_id').doUpdateSet(row))
        .execute();
    },
    async get(alarmId) {
      const row = await db.selectFrom('alarms').select('alarm').where('alarm_id', '=', alarmId).executeTakeFirst();
      return row && fromJson(row.alarm);
    },
    async list(limit) {
      const rows = await db.selectFrom('alarms').select('alarm').orderBy('raised_at_ms', 'desc').limit(limit).execute();
      return rows.map((row) => fromJson(row.alarm));
    },
    async prune(endedBeforeMs, batch) {
      const before = Math.ceil(endedBeforeMs);
      // What ended before a moment was raised before it: there is an index on that.
      const result = await sql`delete from alarms where alarm_id in (select alarm_id from alarms
        where raised_at_ms < ${before} and ended_at_ms < ${before} limit ${batch})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}
