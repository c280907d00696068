import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-database-'));
  path = join(dir, 'weir.db');
});
afterEach(() => rm(dir, { recursive: true }));

test('a database that another console uses is refused', async () => {
  const first = await openDatabase(path);
  const second = spawnSync(
    process.execPath,
    [
      '-e',
      `new (require('better-sqlite3'))(${JSON.stringify(path)}, { timeout: 10 }).prepare('select * from jobs').all()`,
    ],
    { encoding: 'utf8', cwd: import.meta.dirname },
  );
  expect(second.stderr).toContain('locked');
  await expect(openDatabase(path)).rejects.toThrow('is in use by another console');
  first.close();
  (await openDatabase(path)).close();
});

test('what was written before the process was killed is there afterwards', async () => {
  const script = `
    import { sqliteStorage } from ${JSON.stringify(new URL('../../src/storage/sqlite/sqlite-storage.ts', import.meta.url).href)};
    const storage = await sqliteStorage(${JSON.stringify(path)});
    await storage.settings.saveState('written', '"yes"');
    process.kill(process.pid, 'SIGKILL');
  `;
  const killed = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--conditions=@weir/source', '--input-type=module', '-e', script],
    {
      encoding: 'utf8',
      cwd: import.meta.dirname,
    },
  );
  expect(killed.stderr).toBe('');
  expect(killed.signal).toBe('SIGKILL');
  const storage = await sqliteStorage(path);
  expect(await storage.settings.state('written')).toBe('"yes"');
  await storage.close();
});
