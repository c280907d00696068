import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { createConnection, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backUp, restoreBackup, startConsole } from '../../src/index.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { systemClock } from '../../src/host/system-clock.ts';
import { FakeProbe } from '../support/fake-probe.ts';
import { storedJob } from '../support/stored-things.ts';
import { silentLogger } from '../support/test-console.ts';

const PASSWORD = 'admin-password-1';
let dir: string;
let dataDir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-backup-'));
  dataDir = join(dir, 'data');
  file = join(dir, 'weir.tar');
});
afterEach(() => rm(dir, { recursive: true }));

const start = (folder: string, adminPassword?: string) =>
  startConsole(
    { dataDir: folder, port: 0, logLevel: 'silent', ...(adminPassword === undefined ? {} : { adminPassword }) },
    { endpointProbe: new FakeProbe() },
  );

async function call(url: string, path: string, body: unknown, cookie = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json', cookie };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function login(url: string): Promise<string> {
  const answer = await call(url, '/api/v1/session', { username: 'admin', password: PASSWORD });
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

test('a console that runs is backed up and restored elsewhere: accounts, sessions and encrypted secrets work there', async () => {
  const running = await start(dataDir, PASSWORD);
  const cookie = await login(running.url);
  const endpoint = { name: 'source', url: 'http://127.0.0.1:9001', accessKeyId: 'src', secretAccessKey: 'src-secret' };
  expect((await call(running.url, '/api/v1/endpoints', endpoint, cookie)).status).toBe(200);
  const made = await backUp({ dataDir, file });
  expect(made).toMatchObject({ online: true, contents: { storage: 'sqlite' } });
  await running.stop();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n')).toEqual([
    'weir.db',
    'secrets.json',
    'manifest-key.pem',
    'weir-backup.json',
  ]);
  const elsewhere = join(dir, 'elsewhere');
  await restoreBackup({ file, dataDir: elsewhere });
  const restored = await start(elsewhere);
  expect(restored.initialAdminPassword).toBeNull();
  const listed = await fetch(`${restored.url}/api/v1/endpoints`, { headers: { cookie } });
  const { endpoints } = JSON.parse(await listed.text());
  expect(endpoints).toMatchObject([{ name: 'source' }]);
  // The probe lists buckets only for the right secret key.
  const tried = await fetch(`${restored.url}/api/v1/endpoints/${endpoints[0].endpointId}/buckets`, {
    headers: { cookie },
  });
  expect(await tried.text()).toContain('photos');
  await restored.stop();
  expect((await readdir(dir)).toSorted()).toEqual(['data', 'elsewhere', 'weir.tar']);
  expect(await readdir(elsewhere)).not.toContain('console.sock');
});

test('a backup that is made while transactions run holds each of them whole or not at all', async () => {
  const storage = await openStorage(
    { storageUrl: 'sqlite:', dataDir: dir },
    { clock: systemClock(), log: silentLogger },
  );
  await storage.transaction(async (stores) => {
    for (let n = 0; n < 3_000; n += 1) await stores.jobs.insert(storedJob(`job-${n}`, { name: 'x'.repeat(500) }));
  });
  const done = new AbortController();
  let written = 0;
  const writing = (async () => {
    for (; !done.signal.aborted; written += 1) {
      await storage.transaction(async (stores) => {
        await stores.settings.saveState('a', String(written));
        await new Promise((resolve) => setImmediate(resolve));
        await stores.jobs.save(storedJob(`job-${written % 3_000}`, { name: `n${written}` }));
        await stores.settings.saveState('b', String(written));
      });
    }
  })();
  for (let n = 0; n < 5; n += 1) {
    const made = await backUp({ dataDir: dir, file, secrets: false });
    expect(made.online).toBe(true);
    const copy = join(dir, `copy-${n}`);
    await restoreBackup({ file, dataDir: copy });
    const restored = await sqliteStorage(join(copy, 'weir.db'));
    expect(await restored.settings.state('a')).toBe(await restored.settings.state('b'));
    expect(await restored.jobs.countByState()).toEqual(new Map([['queued', 3_000]]));
    await restored.close();
  }
  done.abort();
  await writing;
  expect(written).toBeGreaterThan(5);
  await storage.close();
});

test('a console that does not run is backed up too, and a socket that a killed one left is in nobody\u2019s way', async () => {
  await (await start(dataDir, PASSWORD)).stop();
  await writeFile(join(dataDir, 'console.sock'), '');
  expect(await backUp({ dataDir, file })).toMatchObject({ online: false });
  const again = await start(dataDir);
  expect(await backUp({ dataDir, file })).toMatchObject({ online: true });
  await again.stop();
});

test('a copy that a killed console left in its data folder is removed at the next start', async () => {
  await (await start(dataDir)).stop();
  await writeFile(join(dataDir, 'backup-0123456789ab.tmp'), 'half a database');
  const running = await start(dataDir);
  expect((await readdir(dataDir)).filter((name) => name.startsWith('backup-'))).toEqual([]);
  await running.stop();
});

test('a console that breaks the connection off is said to be the cause', async () => {
  await (await start(dataDir)).stop();
  const server = createServer((socket) => void socket.destroy()).listen(join(dataDir, 'console.sock'));
  await once(server, 'listening');
  await expect(backUp({ dataDir, file })).rejects.toThrow(/broke the connection off|ended before the copy was whole/);
  server.close();
  await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('who knocks and asks for something else gets no copy', async () => {
  const running = await start(dataDir, PASSWORD);
  const socket = createConnection(join(dataDir, 'console.sock'));
  socket.write('GET / HTTP/1.1\r\n\r\n');
  const [answered] = await once(socket, 'data');
  expect(String(answered)).toContain('can only be asked for a backup');
  socket.destroy();
  expect((await stat(join(dataDir, 'console.sock'))).mode & 0o777).toBe(0o600);
  await running.stop();
});

test('what is there already is not overwritten, and with --replace it is moved aside', async () => {
  const running = await start(dataDir, PASSWORD);
  await backUp({ dataDir, file });
  await expect(restoreBackup({ file, dataDir })).rejects.toThrow('is there already');
  await expect(restoreBackup({ file, dataDir, replace: true })).rejects.toThrow('a console runs on');
  await running.stop();
  const { movedAside } = await restoreBackup({ file, dataDir, replace: true });
  expect(movedAside).toContain('weir.db.before-restore');
  expect((await readdir(dataDir)).filter((name) => name.startsWith('.restore'))).toEqual([]);
  const again = await start(dataDir);
  await login(again.url);
  await again.stop();
});

test('a backup without secrets is restored beside them, and refused by a console that has others', async () => {
  await (await start(dataDir, PASSWORD)).stop();
  await backUp({ dataDir, file, secrets: false });
  await rm(join(dataDir, 'weir.db'));
  const { files } = await restoreBackup({ file, dataDir });
  expect(files).toEqual(['weir.db']);
  await (await start(dataDir)).stop();
  const other = join(dir, 'other');
  await restoreBackup({ file, dataDir: other });
  await expect(start(other)).rejects.toThrow('secrets');
});

test('a backup that was changed, cut short, or is something else is refused, and nothing is put in place', async () => {
  await (await start(dataDir, PASSWORD)).stop();
  await backUp({ dataDir, file });
  const whole = await readFile(file);
  const flipped = Buffer.from(whole);
  flipped[20_000] = (flipped[20_000] ?? 0) ^ 0xff;
  const target = join(dir, 'target');
  for (const [bytes, said] of [
    [flipped, 'is not what was saved'],
    [whole.subarray(0, 30_000), 'it ends too soon'],
    [Buffer.from('text'.repeat(1_000)), 'it is not an archive'],
    [Buffer.alloc(2_048), 'does not say what it holds'],
  ] as const) {
    await writeFile(file, bytes);
    await expect(restoreBackup({ file, dataDir: target })).rejects.toThrow(said);
    expect(await readdir(target)).toEqual([]);
  }
});

test('a console that starts while a database is replaced is refused it, and never begins one of its own in between', async () => {
  await (await start(dataDir, PASSWORD)).stop();
  await backUp({ dataDir, file });
  const told: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const restored = restoreBackup({ file, dataDir, replace: true }).then(() => 'restored', String);
    await new Promise((resolve) => setTimeout(resolve, 2 * n));
    const started = await start(dataDir).catch(String);
    told.push(await restored);
    // One that begins a database of its own tells the password of its administrator.
    told.push(typeof started === 'string' ? started : `started, password ${started.initialAdminPassword}`);
    if (typeof started !== 'string') await started.stop();
  }
  for (const said of told)
    expect(said).toMatch(
      /^restored$|^started, password null$|a console runs on|in use by another console|start this one again/,
    );
  expect(told).toContain('restored');
  const again = await start(dataDir);
  await login(again.url);
  await again.stop();
});

test('keys whose database is not there are replaced only when it is said where that one is', async () => {
  await (await start(dataDir, PASSWORD)).stop();
  await backUp({ dataDir, file });
  await rm(join(dataDir, 'weir.db'));
  await expect(restoreBackup({ file, dataDir, replace: true })).rejects.toThrow(
    'say with storageUrl (--storage-url, WEIR_STORAGE_URL)',
  );
  const { movedAside } = await restoreBackup({ file, dataDir, replace: true, storageUrl: 'sqlite:' });
  expect(movedAside).toEqual(['secrets.json.before-restore', 'manifest-key.pem.before-restore']);
  const again = await start(dataDir);
  await login(again.url);
  await again.stop();
});
