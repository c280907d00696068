import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startConsole, type ConsoleOptionsInput } from '../../src/index.ts';
import { ConsoleKeys } from '../../src/storage/files/console-keys.ts';
import { FakeProbe } from '../support/fake-probe.ts';

let dir: string;
let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-left-'));
});
afterEach(() => rm(dir, { recursive: true }));

const start = (options: Partial<ConsoleOptionsInput>) =>
  startConsole(
    { dataDir: join(dir, 'a', 'data'), port: 0, logLevel: 'silent', adminPassword: 'admin-password-1', ...options },
    { endpointProbe: new FakeProbe() },
  );

test('a first start that is refused leaves nothing behind: no keys, no database, no folder', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const storageUrl = await postgres.createDatabase('empty');
  const refusals: Partial<ConsoleOptionsInput>[] = [
    { port },
    { port, storageUrl },
    { host: '192.0.2.1' },
    { tlsCertFile: join(dir, 'none'), tlsKeyFile: join(dir, 'none') },
    { storageUrl: 'postgres://weir@127.0.0.1:1/weir' },
    { storageUrl: storageUrl.replace(/empty$/, 'absent') },
    { storageUrl, redisUrl: 'redis://127.0.0.1:1', port },
  ];
  for (const options of refusals) {
    await expect(start(options)).rejects.toThrow(/./);
    expect([options, await readdir(dir)]).toEqual([options, []]);
  }
  taken.close();
  const tables = "select count(*) from information_schema.tables where table_schema = 'public'";
  expect((await postgres.program('psql', '-d', 'empty', '-qtAc', tables)).trim()).toBe('0');
});

test('new keys that do not belong to the database stay nowhere, and those that do stay as they are', async () => {
  const storageUrl = await postgres.createDatabase('known');
  const dataDir = join(dir, 'own');
  await (await start({ dataDir, storageUrl })).stop();
  const keys = await readFile(join(dataDir, 'secrets.json'), 'utf8');
  await mkdir(join(dir, 'empty'), { mode: 0o700 });
  await expect(start({ dataDir: join(dir, 'empty'), storageUrl })).rejects.toThrow('does not belong to this database');
  await expect(start({ storageUrl })).rejects.toThrow('does not belong to this database');
  expect((await readdir(dir)).toSorted()).toEqual(['empty', 'own']);
  expect(await readdir(join(dir, 'empty'))).toEqual([]);
  await expect(start({ dataDir, storageUrl: storageUrl.replace(/known$/, 'absent') })).rejects.toThrow('absent');
  expect(await readFile(join(dataDir, 'secrets.json'), 'utf8')).toBe(keys);
  await (await start({ dataDir, storageUrl })).stop();
});

test('keys that somebody puts there, or exchanges, while a console starts end that start', async () => {
  const dataDir = join(dir, 'data');
  const first = await ConsoleKeys.open(dataDir, 'weir.db');
  const second = await ConsoleKeys.open(dataDir, 'weir.db');
  expect(await readdir(dataDir)).toEqual([]);
  await second.save();
  await expect(first.requireUnchanged()).rejects.toThrow('was changed while this console started');
  await expect(first.save()).rejects.toThrow('start this one again');
  await first.giveUp(false);
  expect((await readdir(dataDir)).toSorted()).toEqual(['manifest-key.pem', 'secrets.json']);
  const third = await ConsoleKeys.open(dataDir, 'weir.db');
  expect(third.secrets).toEqual(second.secrets);
  await third.requireUnchanged();
  await writeFile(join(dataDir, 'manifest-key.pem'), 'another');
  await expect(third.requireUnchanged()).rejects.toThrow('manifest-key.pem was changed');
});

test('consoles that are first started together on one folder and one database begin with the same keys', async () => {
  const storageUrl = await postgres.createDatabase('together');
  const dataDir = join(dir, 'data');
  const consoles = await Promise.all([1, 2, 3].map(() => start({ dataDir, storageUrl })));
  expect(new Set(consoles.map(({ enrolmentToken }) => enrolmentToken)).size).toBe(1);
  await Promise.all(consoles.map((console) => console.stop()));
});
