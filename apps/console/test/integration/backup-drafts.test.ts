import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backUp, restoreBackup, startConsole } from '../../src/index.ts';
import { openDraft } from '../../src/storage/backup/draft.ts';
import { FakeProbe } from '../support/fake-probe.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-drafts-'));
});
afterEach(() => rm(dir, { recursive: true }));

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const main = fileURLToPath(new URL('draft-main.ts', import.meta.url));

/** A process that works in a draft until its input ends, and where that is. */
async function draftElsewhere(prefix: string): Promise<{
  child: ChildProcessByStdio<Writable, Readable, null>;
  path: string;
}> {
  const child = spawn(process.execPath, ['--import', loader, main, dir, prefix], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [path]: unknown[] = await once(child.stdout, 'data');
  return { child, path: String(path).trim() };
}

test('a draft of a process that lives stays, also while many begin at once; that of a killed one is removed', async () => {
  const { child, path } = await draftElsewhere('.weir-backup-');
  const others = await Promise.all(Array.from({ length: 5 }, () => openDraft(dir, '.weir-backup-')));
  expect(others.flatMap(({ removed }) => removed)).toEqual([]);
  expect([path, ...others.map((each) => each.path)].filter((each) => !existsSync(each))).toEqual([]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(path)).toBe(true);
  const next = await openDraft(dir, '.weir-backup-');
  expect(next.removed).toEqual([path]);
  for (const each of [...others, next]) await each.remove();
  expect(await readdir(dir)).toEqual([]);
});

test('a process that ends by itself leaves no draft', async () => {
  const { child, path } = await draftElsewhere('.weir-backup-');
  child.stdin.end();
  await once(child, 'exit');
  expect(existsSync(path)).toBe(false);
});

test('a backup and a restore remove what killed ones left, and nothing else', async () => {
  const dataDir = join(dir, 'data');
  const file = join(dir, 'backups', 'weir.tar');
  const options = { dataDir, port: 0, logLevel: 'silent' } as const;
  await (await startConsole(options, { endpointProbe: new FakeProbe() })).stop();
  const elsewhere = join(dir, 'elsewhere');
  const dead = [join(dir, 'backups', '.weir-backup-abc123'), join(elsewhere, '.restore-abc123')];
  const foreign = [join(dir, 'backups', '.weir-backup-notes'), join(dir, 'backups', '.weir-backup-xyz789')];
  for (const each of [...dead, ...foreign]) {
    await mkdir(each, { recursive: true });
    await writeFile(join(each, 'weir.db'), 'half');
  }
  for (const each of dead) await writeFile(join(each, 'in-use'), '');
  expect((await backUp({ dataDir, file })).removed).toEqual([dead[0]]);
  expect((await restoreBackup({ dataDir: elsewhere, file })).removed).toEqual([dead[1]]);
  expect((await readdir(join(dir, 'backups'))).toSorted()).toEqual(
    ['.weir-backup-notes', '.weir-backup-xyz789', 'weir.tar'].toSorted(),
  );
  expect((await readdir(elsewhere)).toSorted()).toEqual(['manifest-key.pem', 'secrets.json', 'weir.db']);
});
