import { sql } from 'kysely';
import type { SqlDialect } from '../sql/dialect.ts';
import { toStorable } from './storable-text.ts';

const TYPES = { text: 'text', integer: 'bigint', real: 'double precision' } as const;

/** PostgreSQL reads rows out of JSON by the columns that it is told. */
export const POSTGRES: SqlDialect = {
  savedRows(rows, columns) {
    const json = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? toStorable(value) : value));
    const fields = Object.entries(columns).map(([name, kind]) => sql`${sql.ref(name)} ${sql.raw(TYPES[kind])}`);
    return sql`json_to_recordset(${json}::json) as saved (${sql.join(fields)})`;
  },
  // With its type: PostgreSQL takes a list of values that it cannot tell for text.
  placeholder: (position, kind) => `$${position}::${TYPES[kind]}`,
};
