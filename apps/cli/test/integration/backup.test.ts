import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConsole } from '@weir/console';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { s3EndpointProbe } from '../../src/endpoint-probe.ts';
import { weir } from '../support/running.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-cli-backup-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('weir backup saves a console that runs, and weir restore brings it back, said as text or as JSON', async () => {
  const dataDir = join(dir, 'data');
  const file = join(dir, 'weir.tar');
  const running = await startConsole(
    { dataDir, port: 0, logLevel: 'silent', adminPassword: 'admin-password-1' },
    { endpointProbe: s3EndpointProbe },
  );
  const saved = await weir('backup', file, '--data-dir', dataDir, '--json');
  expect(saved.code).toBe(0);
  const files = ['weir.db', 'secrets.json', 'manifest-key.pem'];
  expect(JSON.parse(saved.out)).toMatchObject({ file, online: true, files });
  await running.stop();
  const refused = await weir('restore', file, '--data-dir', dataDir, '--json');
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'backup-failed' } });
  const elsewhere = join(dir, 'elsewhere');
  const restored = await weir('restore', file, '--data-dir', elsewhere);
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(`Restored to ${elsewhere}`) });
  expect((await readdir(elsewhere)).toSorted()).toEqual(files.toSorted());
});

test('with PostgreSQL weir backup saves the secrets, says how to save the rest, and tells no password', async () => {
  const dataDir = join(dir, 'data');
  await (await startConsole({ dataDir, port: 0, logLevel: 'silent' }, { endpointProbe: s3EndpointProbe })).stop();
  const url = 'postgres://weir:hunter22@127.0.0.1:1/weir';
  const saved = await weir('backup', join(dir, 'weir.tar'), '--data-dir', dataDir, '--storage-url', url);
  expect(saved).toMatchObject({ code: 0, out: expect.stringContaining('pg_dump') });
  expect(saved.out).not.toContain('hunter22');
  expect(saved.out).not.toContain('weir.db');
});

test('weir backup of a folder without a console ends with 2 and leaves nothing behind', async () => {
  const ran = await weir('backup', join(dir, 'weir.tar'), '--data-dir', join(dir, 'none'));
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('there is no database') });
  expect(await readdir(dir)).toEqual([]);
});

test('weir backup says what it removed of one that was killed', async () => {
  const dataDir = join(dir, 'data');
  await (await startConsole({ dataDir, port: 0, logLevel: 'silent' }, { endpointProbe: s3EndpointProbe })).stop();
  const left = join(dir, '.weir-backup-abc123');
  await mkdir(left);
  await writeFile(join(left, 'in-use'), '');
  const saved = await weir('backup', join(dir, 'weir.tar'), '--data-dir', dataDir);
  expect(saved).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Removed what others that were killed had left: ${left}.`),
  });
  expect((await readdir(dir)).toSorted()).toEqual(['data', 'weir.tar']);
});

test('weir restore of a file that is not there makes nothing', async () => {
  const ran = await weir('restore', join(dir, 'none.tar'), '--data-dir', join(dir, 'data'));
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('none.tar cannot be read') });
  expect(await readdir(dir)).toEqual([]);
});
