import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { threadedStatements } from '../../src/storage/sqlite/threaded-statements.ts';

const LONG = `with recursive n(x) as (select 1 union all select x + 1 from n where x < 300000) select count(*) as n from n`;

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-thread-'));
  path = join(dir, 'weir.db');
});
afterEach(() => rm(dir, { recursive: true }));

test('while a statement runs the event loop goes on, and answers come in the order of the calls', async () => {
  const statements = await threadedStatements(path);
  const order: string[] = [];
  let turns = 0;
  const long = statements.run(LONG, []).then((ran) => {
    order.push('long');
    return ran;
  });
  const short = statements.run('select 2 as n', []).then(() => order.push('short'));
  while (order.length === 0) {
    turns += 1;
    await nextTurn();
  }
  expect(await long).toEqual({ rows: [{ n: 300_000 }], changed: null });
  await short;
  expect(order).toEqual(['long', 'short']);
  expect(turns).toBeGreaterThan(100);
  await statements.close();
});

test('errors arrive with their class and code, and the calls after them are answered as if they had not been', async () => {
  const statements = await threadedStatements(path);
  await statements.run(`insert into states (name, json) values (?, ?)`, ['a', '1']);
  await expect(statements.run(`insert into states (name, json) values (?, ?)`, ['a', '2'])).rejects.toMatchObject({
    name: 'SqliteError',
    code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  });
  await expect(statements.run('select * from absent', [])).rejects.toThrow('no such table: absent');
  await expect(statements.run('select ?', [{}])).rejects.toThrow('parameter');
  // What cannot be sent at all is refused here, and nothing waits for an answer to it.
  await expect(statements.run('select ?', [() => 1])).rejects.toThrow('could not be cloned');
  expect((await statements.run('select json from states', [])).rows).toEqual([{ json: '1' }]);
  await statements.close();
});

test('a file that cannot be used is refused with the reason, and no thread is left', async () => {
  await writeFile(path, 'not a database, but long enough to have the header of one'.repeat(4));
  await expect(threadedStatements(path)).rejects.toMatchObject({
    name: 'UnusableDatabase',
    message: expect.stringContaining('is not a SQLite database'),
  });
});

test('calls that came before the end are answered, those that come later are refused', async () => {
  const statements = await threadedStatements(path);
  const before = statements.run('select 1 as n', []);
  const closed = statements.close();
  await expect(statements.run('select 1', [])).rejects.toThrow('the database is closed');
  expect((await before).rows).toEqual([{ n: 1 }]);
  await closed;
  await (await threadedStatements(path)).close();
});

test('an open database keeps no process from ending', () => {
  const script = `
    import { threadedStatements } from ${JSON.stringify(new URL('../../src/storage/sqlite/threaded-statements.ts', import.meta.url).href)};
    const statements = await threadedStatements(${JSON.stringify(path)});
    await statements.run('select 1', []);
    process.stdout.write('done');
  `;
  const ended = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--conditions=@weir/source', '--input-type=module', '-e', script],
    { encoding: 'utf8', cwd: import.meta.dirname, timeout: 30_000 },
  );
  expect({ stdout: ended.stdout, stderr: ended.stderr, status: ended.status }).toEqual({
    stdout: 'done',
    stderr: '',
    status: 0,
  });
});
