import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConsoleOptionsInput, type RunningConsole, startConsole } from '@weir/console';
import { startMemcached } from '@weir/testkit/memcached';
import { startPostgres } from '@weir/testkit/postgres';
import { startRedis } from '@weir/testkit/redis';
import { startFauxqs } from '@weir/testkit/s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Finding } from '../../src/commands/doctor-finding.ts';
import { s3EndpointProbe } from '../../src/endpoint-probe.ts';
import { weir } from '../support/running.ts';

const PASSWORD = 'doctor-password-1';
let folder: string;
let console: RunningConsole;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-doctor-'));
  console = await start('data');
});
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  vi.stubEnv('WEIR_STORAGE_URL', undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await console.stop();
  await rm(folder, { recursive: true });
});

function start(name: string, options: Partial<ConsoleOptionsInput> = {}): Promise<RunningConsole> {
  const settings = {
    dataDir: join(folder, name),
    port: 0,
    adminPassword: PASSWORD,
    logLevel: 'silent',
    ...options,
  } as const;
  return startConsole(settings, { endpointProbe: s3EndpointProbe });
}

/** The findings besides those of this machine, `check status`, and the exit code that they alone explain. */
async function doctor(...args: string[]): Promise<{ code: number; lines: string[]; findings: Finding[]; out: string }> {
  const { code, out } = await weir('doctor', '--json', ...args);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  for (const { status, remedy, check } of findings)
    expect([check, remedy === undefined]).toEqual([check, status === 'ok']);
  const named = findings.filter(({ target }) => target !== 'this machine');
  return { code, out, findings: named, lines: named.map(({ check, status }) => `${check} ${status}`) };
}

async function listening(server: Server | ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => void server.close(resolve)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('this machine is always looked at, and the report for people says so', async () => {
  const { out } = await weir('doctor');
  expect(out).toMatch(/^this machine\n {2}ok {4}node {8}Node 2\d/);
  expect(out).toMatch(/\d ok, \d to look at, \d failed\n$/);
});

test('a running console is found well: answer, version, clock, login', async () => {
  vi.stubEnv('WEIR_PASSWORD', PASSWORD);
  const { lines, findings } = await doctor('--console', console.url, '--user', 'admin');
  expect(lines).toEqual(['connection ok', 'clock ok', 'console ok', 'login ok']);
  expect(findings.at(-1)?.found).toBe('admin is admin');
});

test('a wrong password fails, and is not repeated', async () => {
  vi.stubEnv('WEIR_PASSWORD', 'not-the-password');
  const { code, lines, out } = await doctor('--console', console.url, '--user', 'admin');
  expect([code, lines.at(-1)]).toEqual([2, 'login fail']);
  expect(out).not.toContain('not-the-password');
});

test('nobody at the address, a name that is not there, and a server that is no console fail with their reasons', async () => {
  const nobody = await doctor('--console', 'http://127.0.0.1:1');
  expect([nobody.code, nobody.lines]).toEqual([2, ['connection fail']]);
  const noName = await doctor('--console', 'http://no-such-host.invalid:8180');
  expect([noName.code, noName.lines]).toEqual([2, ['name fail']]);
  const other = createHttpServer((_request, answer) => void answer.end('hello'));
  const notOurs = await doctor('--console', await listening(other));
  expect([notOurs.code, notOurs.lines.at(-1)]).toEqual([2, 'console fail']);
});

test('a server whose clock is ten minutes behind is a warning that says how far', async () => {
  const late = createHttpServer((_request, answer) => {
    answer.setHeader('date', new Date(Date.now() - 600_000).toUTCString());
    answer.end();
  });
  const { findings } = await doctor('--s3', await listening(late));
  const clock = findings.find(({ check }) => check === 'clock');
  expect(clock?.status).toBe('warn');
  expect(clock?.found).toMatch(/^at least (9 min 5\d s|10 min 0 s) behind this machine$/);
});

test('the data folder of a console is well as the console made it', async () => {
  const { lines } = await doctor('--data-dir', join(folder, 'data'));
  expect(lines.slice(0, 2)).toEqual(['data-dir ok', 'secrets ok']);
  // A console runs there, which it does only with its own keys.
  expect(lines.at(-1)).toBe('keys ok');
});

test('keys that are not those of the database fail, in a file and on a server, and none of them is printed', async () => {
  const postgres = await startPostgres();
  closing.push(() => postgres.stop());
  const storageUrl = await postgres.createDatabase('weir');
  const keysOf = async (name: string, ...args: string[]): Promise<string> => {
    const { findings, out } = await doctor('--data-dir', join(folder, name), ...args);
    const secrets = await readFile(join(folder, name, 'secrets.json'), 'utf8').catch(() => '');
    for (const secret of secrets.match(/[\w-]{43}/g) ?? []) expect(out).not.toContain(secret);
    return findings.flatMap(({ check, status, found }) => (check === 'keys' ? `${status}: ${found}` : [])).join();
  };
  for (const name of ['one', 'two']) await (await start(name)).stop();
  expect(await keysOf('one')).toMatch(/^ok/);
  expect(await keysOf('one', '--storage-url', storageUrl)).toContain('no console has used the database yet');
  await (await start('grown', { storageUrl })).stop();
  expect(await keysOf('grown', '--storage-url', storageUrl)).toMatch(/^ok: they are those/);
  expect(await keysOf('one', '--storage-url', storageUrl)).toContain('fail: they are not those that the database');
  expect(await keysOf('nowhere', '--storage-url', storageUrl)).toMatch(/^fail: .*nowhere has none that can be read/);
  vi.stubEnv('WEIR_STORAGE_URL', storageUrl);
  expect(await keysOf('two')).toMatch(/^fail: they are not those/);
  vi.stubEnv('WEIR_STORAGE_URL', undefined);
  await copyFile(join(folder, 'one', 'secrets.json'), join(folder, 'two', 'secrets.json'));
  expect(await keysOf('two')).toMatch(/^fail: they are not those/);
});

/** What is to be done about what fails. */
async function remediesFor(...args: string[]): Promise<string> {
  const { findings } = await doctor(...args);
  return findings.flatMap(({ status, remedy }) => (status === 'fail' ? (remedy ?? '') : [])).join();
}

function at(port: string | number): string {
  return `127.0.0.1:${port}`;
}

test('each way in which a server cannot be used has a remedy of its own', async () => {
  const sockets: Socket[] = [];
  const silent = new URL(await listening(createServer((socket) => void sockets.push(socket.resume()))));
  closing.unshift(() => sockets.forEach((socket) => socket.destroy()));
  const hangingUp = new URL(await listening(createServer((socket) => void socket.destroy())));
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  await redis.command('CONFIG', 'SET', 'requirepass', 'word');
  closing.push(
    () => postgres.stop(),
    () => redis.stop(),
  );
  const database = postgres.url;
  const remedies: [string, string, string][] = [
    ['--storage-url', `postgres://weir@${at(1)}/weir`, 'Nothing listens there'],
    ['--storage-url', 'postgres://weir@no-such-host.invalid/weir', 'does not know the host'],
    ['--storage-url', `postgres://weir@${at(silent.port)}/weir`, 'Nothing answers'],
    ['--storage-url', `postgres://weir@${at(hangingUp.port)}/weir`, 'The connection was closed'],
    ['--storage-url', database.replace(postgres.password, 'wrong'), 'Correct user and password'],
    ['--storage-url', database.replace(`:${postgres.password}`, ''), 'It wants a password'],
    ['--storage-url', database.replace(/\/postgres$/, '/absent'), 'Make the database (createdb)'],
    ['--storage-url', `${database}?sslmode=verify-full`, 'Correct sslmode'],
    ['--store', `redis://${at(1)}`, 'Nothing listens there'],
    ['--store', 'redis://no-such-host.invalid', 'does not know the host'],
    ['--store', `redis://:wrong@${at(redis.port)}`, 'Correct user and password'],
    ['--store', `redis://${at(redis.port)}`, 'It wants a password'],
    ['--store', `redis://:word@${at(redis.port)}/99`, 'Give a database number'],
    ['--store', `redis://${at(silent.port)}`, 'Nothing answers'],
    ['--store', `redis://${at(hangingUp.port)}`, 'The connection was closed'],
    ['--store', `memcached://${at(hangingUp.port)}`, 'The connection was closed'],
    ['--store', `memcached://${at(1)}`, 'Nothing listens there'],
    ['--store', 'memcached://no-such-host.invalid:11211', 'does not know the host'],
    ['--store', `memcached://${at(silent.port)}`, 'Nothing answers'],
    ['--s3', `http://${at(1)}`, 'Nothing listens there'],
    ['--s3', 'http://no-such-host.invalid', 'does not know the host'],
    ['--console', `http://${at(1)}`, 'Nothing listens there'],
  ];
  const wrong: unknown[] = [];
  for (const [flag, address, remedy] of remedies) {
    const said = await remediesFor(flag, address);
    if (!said.includes(remedy)) wrong.push([flag, address, said]);
  }
  expect(wrong).toEqual([]);
}, 45_000);

test('a console whose database is away is not said to have a wrong password', async () => {
  const postgres = await startPostgres();
  const grown = await start('away', { storageUrl: await postgres.createDatabase('weir') });
  closing.push(() => grown.stop());
  await postgres.stop();
  vi.stubEnv('WEIR_PASSWORD', PASSWORD);
  const { findings } = await doctor('--console', grown.url, '--user', 'admin');
  expect(findings.at(-1)).toMatchObject({
    check: 'login',
    status: 'fail',
    remedy: expect.stringContaining('The database'),
  });
  expect(JSON.stringify(findings)).not.toContain('Check name and password');
});

test('secrets that others can read, that are damaged, or that are gone fail; none of them is printed', async () => {
  const dataDir = join(folder, 'broken');
  await (await start('broken')).stop();
  const path = join(dataDir, 'secrets.json');
  const secrets = await readFile(path, 'utf8');
  await chmod(path, 0o644);
  await chmod(dataDir, 0o755);
  const open = await doctor('--data-dir', dataDir);
  expect([open.code, open.lines.slice(0, 2)]).toEqual([2, ['data-dir warn', 'secrets fail']]);
  for (const secret of secrets.match(/[\w-]{43}/g) ?? ['none']) expect(open.out).not.toContain(secret);
  await writeFile(path, secrets.slice(0, 99));
  expect((await doctor('--data-dir', dataDir)).findings[1]?.found).toContain('damaged');
  await rm(path);
  expect((await doctor('--data-dir', dataDir)).findings[1]?.found).toContain('missing beside a database');
});

test('a folder that is not there yet is well where it can be made, and a file in its place fails', async () => {
  expect((await doctor('--data-dir', join(folder, 'new'))).lines.slice(0, 2)).toEqual(['data-dir ok', 'secrets ok']);
  expect((await doctor('--data-dir', join(folder, 'not', 'yet', 'there'))).lines[0]).toBe('data-dir ok');
  await writeFile(join(folder, 'file'), '');
  expect((await doctor('--data-dir', join(folder, 'file'))).lines).toEqual(['data-dir fail']);
});

test('a port is free, ours, or taken by another program', async () => {
  expect((await doctor('--port', new URL(console.url).port)).findings[0]?.found).toContain('Weir console');
  const other = createServer((socket) => void socket.destroy());
  const { port } = new URL(await listening(other));
  expect((await doctor('--port', port)).lines).toEqual(['port fail']);
  await closing.pop()?.();
  expect((await doctor('--port', port)).lines).toEqual(['port ok']);
});

test('an agent without a credential is a warning, a damaged or open credential fails', async () => {
  const stateDir = join(folder, 'agent');
  await mkdir(stateDir, { mode: 0o700 });
  expect((await doctor('--state-dir', stateDir)).lines[1]).toBe('credential warn');
  const stored = { consoleUrl: 'http://other:8180', name: 'a', agentId: 'agt_1', credential: 'secret-credential' };
  await writeFile(join(stateDir, 'agent-a.json'), JSON.stringify(stored), { mode: 0o644 });
  const open = await doctor('--state-dir', stateDir, '--console', console.url);
  expect(open.lines.slice(1, 3)).toEqual(['credential fail', 'credential warn']);
  expect(open.findings[2]?.found).toContain('only for http://other:8180');
  expect(open.out).not.toContain('secret-credential');
  await writeFile(join(stateDir, 'agent-a.json'), '{');
  expect((await doctor('--state-dir', stateDir)).findings[1]?.found).toContain('damaged');
});

test('a certificate that ends soon is a warning, a wrong key fails, and a console with it is not trusted without its authority', async () => {
  const [cert, key, otherKey] = ['cert.pem', 'key.pem', 'other.pem'].map((name) => join(folder, name));
  const subject = ['-subj', '/CN=weir', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '5', ...subject];
  execFileSync('openssl', [...make, '-keyout', key ?? '', '-out', cert ?? ''], { stdio: 'ignore' });
  execFileSync('openssl', ['genrsa', '-out', otherKey ?? '', '2048'], { stdio: 'ignore' });
  const files = await doctor('--tls-cert', cert ?? '', '--tls-key', key ?? '');
  expect(files.lines).toEqual(['certificate warn', 'key ok', 'key-rights ok']);
  expect((await doctor('--tls-cert', cert ?? '', '--tls-key', otherKey ?? '')).lines[1]).toBe('key fail');
  const secure = await start('secure', { tlsCertFile: cert, tlsKeyFile: key });
  closing.push(() => secure.stop());
  expect((await doctor('--console', secure.url)).lines).toEqual(['connection ok', 'certificate warn', 'trust fail']);
  const plain = await doctor('--console', console.url.replace('http:', 'https:'));
  expect(plain.lines).toEqual(['connection ok', 'certificate fail']);
});

test('a Redis that keeps its counters is well; evictions, undated keys and a replica are found', async () => {
  const redis = await startRedis({ config: { 'maxmemory-policy': 'noeviction' } });
  closing.push(() => redis.stop());
  expect((await doctor('--store', redis.url)).lines).toEqual(['clock ok', 'eviction ok', 'undated ok', 'counting ok']);
  await redis.command('SET', 'rl:forgotten', '7');
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
  const { code, lines } = await doctor('--store', redis.url);
  expect(lines).toEqual(['clock ok', 'eviction warn', 'undated warn', 'counting ok']);
  expect(code).toBe(1);
  await redis.command('REPLICAOF', '127.0.0.1', '1');
  expect((await doctor('--store', redis.url)).lines.at(-1)).toBe('counting fail');
});

test('of a store that is not there the password is not printed', async () => {
  const { code, lines, out } = await doctor('--store', 'redis://user:very-secret@127.0.0.1:1');
  expect([code, lines]).toEqual([2, ['connection fail']]);
  expect(out).not.toContain('very-secret');
});

test('memcached counts, and its evictions are told', async () => {
  const memcached = await startMemcached();
  closing.push(() => memcached.stop());
  const { lines } = await doctor('--store', `memcached://${memcached.address}`);
  expect(lines).toEqual(expect.arrayContaining(['counting ok', 'clock ok', 'eviction warn']));
});

test('PostgreSQL is found well, and a database or password that is wrong fails without printing it', async () => {
  const postgres = await startPostgres();
  closing.push(() => postgres.stop());
  const well = await doctor('--storage-url', postgres.url);
  expect(well.lines.every((line) => line.endsWith(' ok'))).toBe(true);
  expect(well.findings.map(({ check }) => check)).toContain('version');
  const wrong = await doctor('--storage-url', postgres.url.replace(postgres.password, 'wrong-word'));
  expect([wrong.code, wrong.lines]).toEqual([2, ['connection fail']]);
  expect(wrong.out).not.toContain('wrong-word');
  vi.stubEnv('WEIR_STORAGE_URL', postgres.url.replace(/postgres$/, 'absent'));
  expect((await doctor()).findings[0]?.found).toContain('absent');
});

test('an S3 server is found well with its bucket; without credentials they are not tried; a missing bucket fails', async () => {
  const s3 = await startFauxqs();
  closing.push(() => s3.stop());
  await fetch(`${s3.url}/photos`, { method: 'PUT' });
  expect((await doctor('--s3', s3.url)).lines).toEqual(['connection ok', 'clock ok', 'credentials warn']);
  vi.stubEnv('AWS_ACCESS_KEY_ID', s3.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3.secretAccessKey);
  const well = await doctor('--s3', s3.url, '--s3-bucket', 'photos');
  expect(well.lines).toEqual(['connection ok', 'clock ok', 'credentials ok', 'bucket ok']);
  const missing = await doctor('--s3', s3.url, '--s3-bucket', 'absent');
  expect([missing.code, missing.lines.at(-1)]).toEqual([2, 'bucket fail']);
});

test('refused credentials fail with the reason, and the secret is not printed', async () => {
  const refusing = createHttpServer((_request, answer) => {
    answer.writeHead(403, { 'content-type': 'application/xml' });
    answer.end('<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>');
  });
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'very-secret');
  const { code, findings, out } = await doctor('--s3', await listening(refusing));
  expect(code).toBe(2);
  expect(findings.at(-1)).toMatchObject({ check: 'credentials', status: 'fail' });
  expect(findings.at(-1)?.found).toContain('SignatureDoesNotMatch');
  expect(out).not.toContain('very-secret');
});

test.each([
  [['--console', 'ftp://x']],
  [['--console', 'http://user:pw@x']],
  [['--s3', 'nonsense']],
  [['--store', 'http://x']],
  [['--storage-url', 'mysql://x']],
])('an address of the wrong kind (%j) ends the command with 2 before anything is asked', async (args) => {
  const { code, out } = await weir('doctor', '--json', ...args);
  expect(code).toBe(2);
  expect(out).toContain('"code":"url-invalid"');
});
