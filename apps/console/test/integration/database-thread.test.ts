import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** Runs a script that has `threadedStatements` and a `path`. */
function runWith(
  script: string,
  flags: readonly string[] = [],
): { stdout: string; stderr: string; status: number | null } {
  const source = new URL('../../src/storage/sqlite/threaded-statements.ts', import.meta.url).href;
  const whole = `
    import { threadedStatements } from ${JSON.stringify(source)};
    const path = ${JSON.stringify(path)};
    ${script}
  `;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...flags, '--import', 'tsx', '--conditions=@weir/source', '--input-type=module', '-e', whole],
    { encoding: 'utf8', cwd: import.meta.dirname, timeout: 30_000 },
  );
  return { stdout, stderr, status };
}

test('an open database keeps no process from ending', () => {
  const ended = runWith(`
    const statements = await threadedStatements(path);
    await statements.run('select 1', []);
    process.stdout.write('done');
  `);
  expect(ended).toEqual({ stdout: 'done', stderr: '', status: 0 });
});

/** A thread of a database that answers once, and then meets its end at the next call. */
const dyingBy = (end: string): string => `
  const { writeFileSync } = await import('node:fs');
  const { pathToFileURL } = await import('node:url');
  writeFileSync(path + '.mjs', \`
    import { parentPort } from 'node:worker_threads';
    parentPort.postMessage({});
    parentPort.on('message', () => { ${end} });
  \`);
  const statements = await threadedStatements(path, pathToFileURL(path + '.mjs'));
  // Something else that keeps the process: it must end all the same.
  setInterval(() => undefined, 1_000);
  statements.run('select 1', []).catch(() => process.stdout.write('refused'));
  await new Promise(() => undefined);
`;

test.each([
  ['throws', 'throw new Error("met a bug")', 'The thread of the database ended: met a bug'],
  ['exits', 'process.exit(0)', 'The thread of the database ended: it ended with code 0'],
  [
    'fills its memory',
    'const all = []; for (;;) all.push(new Array(10_000).fill(0.5));',
    'The thread of the database ended: Worker terminated due to reaching memory limit',
  ],
  ['stops listening', 'parentPort.close()', 'The thread of the database ended: it ended with code 0'],
])('a thread that %s takes the process with it, which says why and does not end well', (_how, end, message) => {
  const ended = runWith(dyingBy(end), ['--max-old-space-size=64']);
  expect(ended.stderr).toContain(message);
  expect(ended.status).toBe(1);
});

test('a thread that dies before the database is open is an error like any other', async () => {
  const entry = join(dir, 'dies.mjs');
  await writeFile(entry, 'throw new Error("no such module")');
  await expect(threadedStatements(path, pathToFileURL(entry))).rejects.toThrow(
    'The thread of the database ended: no such module',
  );
});

test('what is left of a transaction that an error ended does not happen by itself', async () => {
  const statements = await threadedStatements(path);
  const state = (name: string): Promise<unknown> =>
    statements.run('insert into states (name, json) values (?, 1)', [name]);
  await statements.run('begin', []);
  await state('a');
  // What a full disk does to a transaction.
  await expect(statements.run(`insert or rollback into states (name, json) values ('a', 1)`, [])).rejects.toThrow(
    'UNIQUE constraint failed',
  );
  await expect(state('b')).rejects.toThrow('the transaction was ended by an error before');
  await expect(statements.run('commit', [])).rejects.toThrow('the transaction was ended by an error before');
  await statements.run('rollback', []);
  await state('c');
  expect((await statements.run('select name from states', [])).rows).toEqual([{ name: 'c' }]);
  await statements.close();
});

test.each(['removed', 'replaced'])(
  'a file that was %s under it takes no changes, and can still be saved',
  async (how) => {
    const statements = await threadedStatements(path);
    const state = (name: string): Promise<unknown> =>
      statements.run('insert into states (name, json) values (?, 1)', [name]);
    await state('kept');
    await statements.run('begin', []);
    await state('lost');
    if (how === 'removed') await rm(path);
    else {
      await copyFile(path, `${path}.copy`);
      await rename(`${path}.copy`, path);
    }
    const moved = { name: 'SqliteError', code: 'SQLITE_READONLY_DBMOVED', message: expect.stringContaining(path) };
    await expect(statements.run('commit', [])).rejects.toMatchObject(moved);
    await statements.run('rollback', []);
    await expect(state('lost')).rejects.toMatchObject(moved);
    expect((await statements.run('select name from states', [])).rows).toEqual([{ name: 'kept' }]);
    const copy = join(dir, 'copy.db');
    await statements.copyTo(copy);
    await statements.close();
    const saved = await threadedStatements(copy);
    expect((await saved.run('select name from states', [])).rows).toEqual([{ name: 'kept' }]);
    await saved.close();
  },
);

test('a copy that is being made does not keep a console from stopping', async () => {
  const statements = await threadedStatements(path);
  await statements.run('create table filling (bytes blob)', []);
  for (let n = 0; n < 60; n += 1) await statements.run('insert into filling values (zeroblob(1000000))', []);
  const copying = statements.copyTo(join(dir, 'copy.db'));
  const closed = statements.close();
  await expect(copying).rejects.toThrow('the console is stopping');
  await closed;
  await (await threadedStatements(path)).close();
});
