import { sql } from 'kysely';
import type { SqlDialect } from '../sql/dialect.ts';

/** SQLite reads rows out of JSON, and keeps the types that JSON has. */
export const SQLITE: SqlDialect = {
  savedRows(rows, columns) {
    const fields = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
    return sql`(select ${sql.join(fields)} from json_each(${JSON.stringify(rows)})) as saved`;
  },
  placeholder: () => '?',
};
