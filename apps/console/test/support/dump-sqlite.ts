import Database from 'better-sqlite3';

/** A SQLite database as statements that make it again, in a form that can be read and compared. */
export function dumpSqlite(path: string): string {
  const database = new Database(path, { readonly: true });
  const lines: string[] = [];
  for (const name of ['application_id', 'user_version']) {
    lines.push(`pragma ${name} = ${String(database.pragma(name, { simple: true }))};`);
  }
  const schema = database
    .prepare<[], { type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite%' order by rowid`,
    )
    .all();
  for (const { sql } of schema) lines.push(`${sql};`);
  for (const { type, name } of schema) {
    if (type !== 'table') continue;
    const columns = database.prepare<[], { name: string }>(`select name from pragma_table_info('${name}')`).all();
    const quoted = columns.map((column) => `quote("${column.name}")`).join(` || ', ' || `);
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    for (const row of database.prepare<[], string>(`select ${quoted} from "${name}"`).pluck().iterate()) {
      lines.push(`insert into "${name}" (${names}) values (${row});`);
    }
  }
  database.close();
  return `${lines.join('\n')}\n`;
}
