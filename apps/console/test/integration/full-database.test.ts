import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { statementsOn } from '../../src/storage/sqlite/statements.ts';
import { statementsDialect } from '../../src/storage/sqlite/statements-dialect.ts';

test('a transaction that a full disk ended fails with its cause, leaves nothing, and the next one works', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'weir-full-'));
  const database = await openDatabase(join(dir, 'weir.db'));
  const db = new Kysely<Record<string, never>>({ dialect: statementsDialect(statementsOn(database)) });
  try {
    database.exec('create table filling (bytes blob)');
    // SQLite takes this for a disk with room for a few more pages.
    database.pragma(`max_page_count = ${Number(database.pragma('page_count', { simple: true })) + 4}`);
    const fill = db.transaction().execute(async (transaction) => {
      for (let n = 0; n < 100; n += 1) await sql`insert into filling values (zeroblob(4000))`.execute(transaction);
    });
    await expect(fill).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    await db.transaction().execute((transaction) => sql`insert into filling values ('x')`.execute(transaction));
    expect(database.prepare('select count(*) from filling').pluck().get()).toBe(1);
  } finally {
    await db.destroy();
    await rm(dir, { recursive: true });
  }
});
